import { servedContract } from "../../crm/contract.ts";
import type { Step } from "./area.ts";
import type { Drive } from "./one.ts";

/** A call of the CRM to a module, by its operation. */
export interface CallRow {
  operation: string;
  met: boolean;
}

const actions = Object.fromEntries(
  ["calculate", "save", "delete", "shipmentSave", "shipmentDelete"].map((action) => [action, action]),
);
const MODULE = { code: "courier", name: "Courier", clientId: "client-courier", active: true };
const SETTING: Step[] = [
  { call: "GET /api/v5/integration-modules/transport", keep: { module: "integrationModule.baseUrl" } },
  {
    call: "POST /api/v5/integration-modules/courier/edit",
    form: { integrationModule: { ...MODULE, baseUrl: "$module/delivery", integrations: { delivery: { actions } } } },
  },
];
/** What makes the CRM call: the steps before each call. */
const CALLS: Record<string, Step> = {
  onSave: {
    call: "ordersCreate",
    form: { site: "shop", order: { firstName: "Una", items: [{ offer: { id: 102 } }], delivery: { code: "courier" } } },
    keep: { delivered: "id" },
  },
  onShipmentSave: {
    call: "deliveryShipmentsCreate",
    form: { deliveryType: "courier", deliveryShipment: { orders: [{ id: "$delivered" }] } },
    keep: { taken: "id" },
  },
  onShipmentDelete: {
    call: "deliveryShipmentsEdit",
    path: { id: "$taken" },
    form: { deliveryShipment: { status: "cancelled" } },
  },
  onDelete: {
    call: "ordersEdit",
    path: { externalId: "$delivered" },
    form: { by: "id", site: "shop", order: { status: "cancel" } },
  },
  onCalculate: { call: "deliveryCalculate", form: { deliveryTypeCodes: ["courier"], order: {} } },
};

/** Has a delivery module called in each way that the contract has. Adds what fails to `faults`. */
export async function driveCalls({ stage, caller }: Pick<Drive, "stage" | "caller">, faults: string[]) {
  const operations = servedContract().flatMap(([, { webhooks = {} }]) =>
    Object.values(webhooks).map(({ post }) => String(post?.operationId)),
  );
  const from = stage.seen.length;
  const isMet = (operation: string) =>
    stage.seen
      .slice(from)
      .some((each) => each.operation === operation && each.status === 200 && each.faults.length === 0);
  try {
    await caller.steps(SETTING);
    for (const [operation, step] of Object.entries(CALLS)) {
      await caller.steps([step]);
      await stage.until(operation, () => isMet(operation));
    }
  } catch (error) {
    faults.push(`calls to modules: ${(error as Error).message}`);
  }
  return operations.map((operation): CallRow => ({ operation, met: isMet(operation) }));
}
