import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { COMPANY } from "../corporate/company.ts";
import { partsOf } from "../corporate/part.ts";
import { nameOf } from "../customers/customer.ts";
import { attachedTags } from "../customers/tags.ts";
import { type Filter, type ListFilters, oneOf } from "../listing.ts";
import { type Entry, idOf } from "../records.ts";
import { at, equal, flags, period } from "../resource/filters.ts";
import type { Match } from "../resource/match.ts";

type Filters = ListFilters<Entry>;

const customersNamed = ({ tables: { customers, corporate } }: World, externalIds: readonly string[]): number[] =>
  externalIds.flatMap((each) => [customers, corporate].flatMap(({ having }) => having("externalId", each)));

/** The orders of customers with these externalIds. */
export const ordersOfNamed = (world: World, externalIds: readonly string[]): number[] =>
  customersNamed(world, externalIds).flatMap((id) => world.tables.orders.having("customer.id", id));

/** What an order's customer or company is like. Those that are meant are looked up once a request. */
export function byCustomer({ world }: Gateway): Filters {
  const { customers, corporate } = world.tables;
  const idsOf = (match: Match<Entry>): Set<number> => {
    const ids = new Set<number>();
    for (const table of [customers, corporate])
      for (const entry of table.matching([match]).entries) ids.add(idOf(entry));
    return ids;
  };
  const whose = (filter: Filter<Entry>): Filter<Entry> =>
    at("customer.id", (values, keys) => {
      const ids = idsOf(filter(values, keys));
      return (customer) => ids.has(Number(customer));
    });
  const ofCustomers: Filters = {
    ...equal({ tags: "tags.name" }),
    ...flags("vip", "bad", "online"),
    ...period("firstWebVisit", "firstWebVisitAt"),
    ...period("lastWebVisit", "lastWebVisitAt"),
    ...period("firstOrder", "firstOrderAt"),
    ...period("lastOrder", "lastOrderAt"),
    attachedTags: oneOf(attachedTags),
  };
  return {
    ...Object.fromEntries(Object.entries(ofCustomers).map(([name, filter]) => [name, whose(filter)])),
    customerExternalId: at("customer.id", (values) => {
      const ids = new Set(customersNamed(world, values));
      return (customer) => ids.has(Number(customer));
    }),
    companyName: at("company.id", ([part = ""]) => {
      const wanted = part.toLowerCase();
      const companies = [...corporate.rows.values()].flatMap((firm) => partsOf(firm, COMPANY));
      const meant = companies.filter(({ name }) =>
        String(name ?? "")
          .toLowerCase()
          .includes(wanted),
      );
      const ids = new Set(meant.map(idOf));
      return (company) => ids.has(Number(company));
    }),
    customer: ([part = ""]) => {
      const wanted = part.toLowerCase();
      const holds = (text: unknown) =>
        String(text ?? "")
          .toLowerCase()
          .includes(wanted);
      const has = (entry: Entry) =>
        holds(entry.email) || holds(entry.phone) || holds(entry.nickName) || holds(nameOf(entry));
      const ids = idsOf(has);
      return (order) => ids.has(idOf(order.customer)) || has(order);
    },
  };
}
