import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { isWorking } from "../../gateway/gateway.ts";
import { itemsOf, shownItem } from "../orders/items.ts";
import { reckoned } from "../orders/order.ts";
import type { Entry } from "../records.ts";
import { currencyOf } from "../reference/defaults.ts";
import type { Writing } from "../resource/resource.ts";
import { writingOf } from "../resource/routes.ts";
import { unknownCode } from "../writing.ts";
import { askDelivery, deliveryModule, takes } from "./modules.ts";
import { addressIn, midnight, packagesOf, withoutGaps } from "./parcels.ts";

const FORM = "deliveryTypeCodes";
interface Given {
  [FORM]: string[];
  order: Entry;
}
interface Tariff {
  code?: string;
  cost?: number;
}

/** What each delivery type would cost an order. */
export function calculateRoute(site: Hono<Env>, gateway: Gateway): void {
  const types = gateway.world.dictionaries.get("delivery-types");
  site.post("/api/v5/delivery/calculate", async (c) => {
    const { [FORM]: codes, order } = bodyOf<Given>(c);
    const asked = codes.map((code, n) => {
      const type = types?.get(code);
      if (!type) throw unknownCode(FORM, String(n), "DeliveryType", code);
      return type;
    });
    const told = toldOf(writingOf(c, gateway), order);
    const calculations = await Promise.all(asked.map((type) => calculated(gateway, type, told)));
    return c.json({ success: true, calculations });
  });
}

/** By its module, if that calculates; else the type's own cost. */
async function calculated(gateway: Gateway, type: Entry, told: Entry): Promise<Entry> {
  const { code, active, vatRate, defaultCost = 0, defaultTariffCode } = type;
  const module = deliveryModule(gateway, code);
  const costing = (cost: unknown): Entry => withoutGaps({ code, available: true, vatRate, cost });
  const unavailable = { code, available: false };
  if (active === false || (module && !isWorking(gateway.world, module))) return unavailable;
  if (!module || !takes(module, "calculate")) return costing(defaultCost);
  const tariffs = (await askDelivery(gateway, module, "calculate", told)) as Tariff[] | undefined;
  const [cheapest] = (tariffs ?? []).toSorted((one, other) => costOf(one) - costOf(other));
  const tariff =
    tariffs?.find((each) => defaultTariffCode !== undefined && each.code === defaultTariffCode) ?? cheapest;
  return tariff?.cost === undefined ? unavailable : costing(tariff.cost);
}

const costOf = ({ cost = Number.POSITIVE_INFINITY }: Tariff): number => cost;

/** Throws a Refusal for items that an order could not have. */
function toldOf(writing: Writing, { items, delivery, ...sizes }: Entry): Entry {
  const { gateway, site } = writing;
  const { date, time, address } = (delivery ?? {}) as Entry;
  const priced = reckoned(gateway, false, { items: itemsOf(writing, (items ?? []) as Entry[], []) });
  const shown = (priced.items as Entry[]).map((item) => shownItem(gateway, item));
  return withoutGaps({
    packages: packagesOf({ ...sizes, items: shown }),
    deliveryAddress: addressIn(address),
    deliveryDate: midnight(date),
    deliveryTime: time,
    currency: currencyOf(gateway.world, site),
  });
}
