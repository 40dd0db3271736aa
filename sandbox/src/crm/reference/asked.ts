import { createMiddleware } from "hono/factory";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { askedFilters } from "../listing.ts";

/** The dictionary whose entries a list's filter names. Countries are no entries: every code of ISO 3166 is one. */
const DICTIONARY: Record<string, string> = {
  sites: "sites",
  orderTypes: "order-types",
  orderMethods: "order-methods",
  extendedStatus: "statuses",
  statusHistorySequence: "statuses",
  paymentTypes: "payment-types",
  paymentStatuses: "payment-statuses",
  deliveryTypes: "delivery-types",
  deliveryServices: "delivery-services",
  couriers: "couriers",
  shipmentStores: "stores",
  stores: "stores",
  priceType: "price-types",
};

/** Refuses a list's filter by an entry that its dictionary lacks, unless the account finds nothing then. */
export const knownEntries = ({ world: { dictionaries }, unknowns }: Gateway) =>
  createMiddleware<Env>(async (c, next) => {
    const groups = dictionaries.get("status-groups");
    const asked = unknowns().filterEntries === "refuse" ? askedFilters(new URL(c.req.url).searchParams) : [];
    for (const [filter, { values }] of asked) {
      const entries = dictionaries.get(DICTIONARY[filter] ?? "");
      const isKnown = (code: string) =>
        code === "" || entries?.has(code) || (filter === "extendedStatus" && groups?.has(code.replace(/-group$/, "")));
      const unknown = entries && values.find((code) => !isKnown(code));
      if (unknown)
        throw new Refusal(400, `?filter[${filter}] names no entry ${unknown}`, "the dictionary has the entry");
    }
    await next();
  });
