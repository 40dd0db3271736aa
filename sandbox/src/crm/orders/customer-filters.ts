import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import { COMPANY } from "../corporate/company.ts";
import { partsOf } from "../corporate/part.ts";
import { nameOf } from "../customers/customer.ts";
import { attachedTags } from "../customers/tags.ts";
import { type Filter, type ListFilters, oneOf } from "../listing.ts";
import { type Entry, idOf } from "../records.ts";
import { equal, flags, period } from "../resource/filters.ts";

type Filters = ListFilters<Entry>;

const customersNamed = ({ tables: { customers, corporate } }: World, externalIds: readonly string[]): number[] =>
  externalIds.flatMap((each) => [customers, corporate].flatMap(({ having }) => having("externalId", each)));

/** The orders of customers with these externalIds. */
export const ordersOfNamed = (world: World, externalIds: readonly string[]): number[] =>
  customersNamed(world, externalIds).flatMap((id) => world.tables.orders.having("customer.id", id));

/** What an order's customer or company is like. Those that are meant are looked up once a request. */
export function byCustomer({ world }: Gateway): Filters {
  const { customers, corporate } = world.tables;
  const all = () => [...customers.rows.values(), ...corporate.rows.values()];
  const whose =
    (filter: Filter<Entry>): Filter<Entry> =>
    (values, keys) => {
      const ids = new Set(all().filter(filter(values, keys)).map(idOf));
      return ({ customer }) => ids.has(idOf(customer));
    };
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
    customerExternalId: (values) => {
      const ids = new Set(customersNamed(world, values));
      return ({ customer }) => ids.has(idOf(customer));
    },
    companyName: ([part = ""]) => {
      const wanted = part.toLowerCase();
      const companies = [...corporate.rows.values()].flatMap((firm) => partsOf(firm, COMPANY));
      const meant = companies.filter(({ name }) =>
        String(name ?? "")
          .toLowerCase()
          .includes(wanted),
      );
      const ids = new Set(meant.map(idOf));
      return ({ company }) => ids.has(idOf(company));
    },
    customer: ([part = ""]) => {
      const wanted = part.toLowerCase();
      const has = (entry: Entry) =>
        `${nameOf(entry)}\n${entry.nickName ?? ""}\n${entry.email ?? ""}\n${entry.phone ?? ""}`
          .toLowerCase()
          .includes(wanted);
      const ids = new Set(all().filter(has).map(idOf));
      return (order) => ids.has(idOf(order.customer)) || has(order);
    },
  };
}
