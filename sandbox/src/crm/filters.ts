import type { Json } from "../spec.ts";

// Filters of the CRM's lists by value type, from the service's description. Each route supports some of them and
// refuses the rest.

interface Filters {
  flag?: string;
  text?: string;
  /** `name:n` caps the number of values at n. */
  texts?: string;
  number?: string;
  numbers?: string;
  /** Formats `Y-m-d`, `H:i:s` and `Y-m-d H:i:s`. */
  day?: string;
  clock?: string;
  second?: string;
  /** Keyed by code. */
  map?: string;
  /** One of these values; a list of them. */
  choice?: Record<string, string>;
  choices?: Record<string, string>;
}

const CONTRAGENT =
  "contragentName contragentInn contragentKpp contragentBik contragentCorrAccount contragentBankAccount";
const CONTRAGENTS = "enterpreneur individual legal-entity";
const SOURCE = "sourceName mediumName campaignName keywordName adContentName";
const VISITS = "firstWebVisitFrom firstWebVisitTo lastWebVisitFrom lastWebVisitTo";
const ORDERED = "firstOrderFrom firstOrderTo lastOrderFrom lastOrderTo";
const HAVING = { attachments: "1 2 3", tasksCounts: "1 2 3" };

export const FILTERS = {
  orders: {
    flag: "vip bad expired call online shipped uploadedToExtStoreSys",
    text: `${CONTRAGENT} ${SOURCE} customer customerExternalId city region metro index email product managerComment customerComment trackNumber deliveryExternalId receiptFiscalDocumentAttribute companyName dpdParcelDateFrom dpdParcelDateTo productSearchType statusComment deliveryAddressNotes`,
    texts:
      "externalIds numbers:100 countries orderTypes paymentStatuses sites paymentTypes deliveryTypes deliveryServices orderMethods managerGroups shipmentStores extendedStatus statusHistorySequence tags attachedTags",
    number:
      "customerId minPrepaySumm maxPrepaySumm minPrice maxPrice minDeliveryCost maxDeliveryCost minDeliveryNetCost maxDeliveryNetCost minMarginSumm maxMarginSumm minPurchaseSumm maxPurchaseSumm minCostSumm maxCostSumm",
    numbers: "ids managers couriers mgChannels productGroups",
    day: `createdAtFrom createdAtTo fullPaidAtFrom fullPaidAtTo paidAtFrom paidAtTo deliveryDateFrom deliveryDateTo statusUpdatedAtFrom statusUpdatedAtTo shipmentDateFrom shipmentDateTo ${VISITS} ${ORDERED}`,
    clock: "deliveryTimeFrom deliveryTimeTo",
    map: "customFields",
    choice: {
      ...HAVING,
      receiptStatus: "done fail wait",
      receiptOrderStatus: "done fail wait",
      receiptOperation: "sell sell_refund",
      customerType: "customer customer_corporate",
    },
    choices: { contragentTypes: CONTRAGENTS, deliveryStates: "cancel cancel_force error none processing success" },
  },
} satisfies Record<string, Filters>;
export type ListName = keyof typeof FILTERS;

const FLAG = { enum: ["true", "false", "1", "0"] };
const list = (items: Json) => ({ type: "array", items });
const SCHEMAS: Record<Exclude<keyof Filters, "choice" | "choices">, Json> = {
  flag: FLAG,
  text: { type: "string" },
  texts: list({ type: "string" }),
  number: { type: "integer" },
  numbers: list({ type: "integer" }),
  day: { type: "string", format: "crm-day" },
  clock: { type: "string", pattern: "^\\d{2}:\\d{2}:\\d{2}$" },
  second: { type: "string", format: "crm-second" },
  map: { type: "object" },
};

/** A list's query as OpenAPI parameters: paging and every documented filter. */
export function listParameters(name: ListName): Json[] {
  const { choice = {}, choices = {}, ...plain } = FILTERS[name] as Filters;
  const filters: [string, Json][] = [
    ...Object.entries(plain).flatMap(([kind, names]): [string, Json][] =>
      names.split(" ").map((each) => {
        const [name = "", max] = each.split(":");
        return [name, { ...SCHEMAS[kind as keyof typeof SCHEMAS], ...(max && { maxItems: Number(max) }) }];
      }),
    ),
    ...Object.entries(choice).map(([each, values]): [string, Json] => [each, { enum: values.split(" ") }]),
    ...Object.entries(choices).map(([each, values]): [string, Json] => [each, list({ enum: values.split(" ") })]),
  ];
  return [
    { name: "limit", in: "query", schema: { type: "integer", enum: [20, 50, 100] } },
    { name: "page", in: "query", schema: { type: "integer", minimum: 1 } },
    ...filters.map(([each, schema]) => ({
      name: `filter[${each}]${schema.type === "array" ? "[]" : ""}`,
      in: "query",
      schema,
    })),
  ];
}
