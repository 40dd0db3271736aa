import type { Gateway } from "../../gateway/gateway.ts";
import { oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal } from "../resource/filters.ts";
import type { Table } from "../resource/table.ts";
import { entityFault } from "../writing.ts";
import { shortly } from "./address.ts";
import { companyOf } from "./company.ts";
import type { Part, Reference } from "./part.ts";

// A contact is a link between a corporate customer and a customer, with the companies where that one works.

type Given = { isMain?: boolean; customer?: Person; companies?: (Reference & { company?: Reference })[] };
type Person = Reference & { browserId?: string; site?: string };

export const CONTACT: Part = {
  path: "contacts",
  one: "contact",
  kept: "customerContacts",
  filters: (gateway) => {
    const named = oneOf(({ customer }: Entry) => personOf(gateway, customer)?.externalId);
    return { ...equal({ ids: "id", contactIds: "customer.id" }), contactExternalIds: named, externalIds: named };
  },
  unique: "customer",
  reference: (gateway, { customer }) => personOf(gateway, customer) ?? {},
  named: ({ gateway }, { customer }) => ({ id: customerOf(gateway, customer as Person).id }),
  firstIsMain: () => false,
  apply({ gateway }, corporate, given, before) {
    const { isMain = before.isMain, customer, companies } = given as Given;
    const stays = before.customer && customer?.id === undefined && customer?.externalId === undefined;
    const { id } = stays ? (before.customer as Entry) : customerOf(gateway, customer);
    const links = (before.companies ?? []) as Entry[];
    const linked = companies?.map((each) => linkTo(gateway, corporate, links, each.company ?? each));
    const part = { id: before.id, isMain, customer: { id }, companies: linked ?? links };
    return { corporate, part };
  },
  shown(gateway, corporate, { customer, companies, ...part }) {
    const { id, externalId, site } = personOf(gateway, customer) ?? (customer as Entry);
    return { ...part, customer: { id, externalId, site }, companies: worksAt(corporate, companies as Entry[]) };
  },
};

/** The customer behind a contact. */
export const personOf = ({ world: { tables } }: Gateway, customer: unknown): Entry | undefined => {
  const { id } = customer as Entry;
  return tables.customers.rows.get(Number(id)) ?? tables.corporate.rows.get(Number(id));
};

/** Companies of a contact, with their names. */
export const worksAt = (corporate: Entry, companies: Entry[]): Entry[] =>
  companies.map(({ id, company }) => ({ id, company: shortly(companyOf(corporate, company as Reference) ?? {}) }));

/** By id, externalId or browserId. Throws a Refusal. */
function customerOf({ world }: Gateway, given: Person = {}): Entry {
  const known = candidates(world.tables.customers, given).find((each) => !given.site || each.site === given.site);
  if (!known) throw entityFault("contact", "customer", "This value is not valid.");
  return known;
}

/** Throws a Refusal. */
function candidates({ rows, having }: Table, { id, externalId, browserId }: Person): Entry[] {
  const found = (ids: readonly number[]) => ids.map((each) => rows.get(each)).filter((each) => each !== undefined);
  if (id !== undefined) return found([Number(id)]);
  if (externalId !== undefined) return found(having("externalId", externalId));
  if (browserId !== undefined) return [...rows.values()].filter((each) => each.browserId === browserId);
  throw entityFault("contact", "customer", "Set one of the following fields: id, externalId");
}

/** The link to a company that is known keeps its id. Throws a Refusal. */
function linkTo({ world }: Gateway, corporate: Entry, links: Entry[], given: Reference): Entry {
  const company = companyOf(corporate, given);
  if (!company) throw entityFault("contact", "companies", "This value is not valid.");
  const known = links.find((link) => (link.company as Entry).id === company.id);
  return known ?? { id: world.nextId(), company: { id: company.id } };
}
