import type { Gateway } from "../../gateway/gateway.ts";
import { checkCustomValues } from "../custom-values.ts";
import { BLANK_PARTY } from "../customers/blank.ts";
import { CUSTOMER } from "../customers/customer.ts";
import { oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import type { Change } from "../resource/change.ts";
import { keep, type Resource, type Writing } from "../resource/resource.ts";
import type { Rows } from "../resource/rows.ts";
import { shownBy } from "../resource/writable.ts";
import { checkUser, merged } from "../writing.ts";
import { ADDRESS, shortly } from "./address.ts";
import { COMPANY } from "./company.ts";
import { CONTACT, personOf, worksAt } from "./contact.ts";
import { corporateFilters } from "./filters.ts";
import { type Part, partsOf, withParts } from "./part.ts";
import { partsTold } from "./told.ts";

/** A firm that buys, with its addresses, its companies, and the people who act for it. */
export const CORPORATE: Resource = {
  path: "customers-corporate",
  table: "corporate",
  one: "customerCorporate",
  many: "customersCorporate",
  schema: "CustomerCorporate",
  indexed: { ids: "id", externalIds: "externalId", contactIds: "customerContacts.customer.id" },
  filters: corporateFilters,
  apply,
  after: meet,
  shown,
  history: {
    name: "customers-corporate",
    created: "id",
    fields: [
      "externalId",
      "nickName",
      "vip",
      "bad",
      { path: "personalDiscount", name: "personal_discount", absent: 0 },
      "discountCardNumber",
      { path: "managerId", name: "manager", as: "id" },
      "source.source",
      "source.medium",
      "source.campaign",
      "source.keyword",
      "source.content",
    ],
    parts: partsTold,
    one: ({ unknowns }) => unknowns().corporateHistory,
    by: "customer",
    named: (_, { id, externalId, site }) => ({ id, externalId, site }),
    whole: shownWhole,
    filters: ({ world }) => ({ contactIds: oneOf((change) => contactsIn(world.tables.corporate.rows, change)) }),
  },
};

/** Customers whose links a change is about. */
function contactsIn(rows: Rows, { of, more, field, oldValue, newValue }: Change): unknown[] {
  const links = field === "main_contact" ? [oldValue, newValue] : [more?.customerContact];
  const ids = links.map((link) => (link as Entry | undefined | null)?.id);
  const known = partsOf(rows.get(of) ?? {}, CONTACT).filter(({ id }) => ids.includes(id));
  return known.map(({ customer }) => (customer as Entry).id);
}

/** Contacts name companies, companies name addresses. */
const PARTS: readonly Part[] = [ADDRESS, COMPANY, CONTACT];

/** An edit adds parts, or changes those that it names. */
function apply(writing: Writing, change: Entry, before: Entry): Entry {
  const { addresses: _, companies: __, customerContacts: ___, ...fields } = change;
  const { world } = writing.gateway;
  checkCustomValues(world, "customerCorporate", "customer_corporate", fields.customFields);
  checkUser(world, "customerCorporate", fields.managerId);
  const own = merged({ type: "customer_corporate", vip: false, bad: false, ...before }, fields);
  return PARTS.reduce(
    (corporate, part) => withParts(part, writing, corporate, (change[part.kept] ?? []) as Entry[]),
    own,
  );
}

/** Customers who became contacts are marked. */
function meet(writing: Writing, corporate: Entry): void {
  for (const { customer } of partsOf(corporate, CONTACT)) {
    const person = writing.gateway.world.tables.customers.rows.get(Number((customer as Entry).id));
    if (person && !person.isContact) keep(CUSTOMER, writing, { ...person, isContact: true }, person);
  }
}

/** What an order takes from a corporate customer unasked. */
export function mainPartsOf(corporate: Entry): { address?: Entry; company?: Entry; contact?: Entry } {
  const main = (part: Part) => partsOf(corporate, part).find(({ isMain }) => isMain);
  return { address: main(ADDRESS), company: main(COMPANY), contact: main(CONTACT) };
}

function shown(gateway: Gateway, entry: Entry): Entry {
  const { address, company, contact } = mainPartsOf(entry);
  return {
    ...BLANK_PARTY,
    ...shownBy("CustomerCorporate", entry),
    tags: tagsOf(gateway, entry),
    ...(address && { mainAddress: shortly(address) }),
    ...(company && { mainCompany: shortly(company) }),
    ...(contact && { mainCustomerContact: contactOf(gateway, entry, contact) }),
  };
}

/** Both are reported. */
function tagsOf({ unknowns }: Gateway, entry: Entry): unknown[] {
  const tags = (entry.tags ?? []) as { name: string }[];
  return unknowns().corporateTags === "texts" ? tags.map(({ name }) => name) : tags;
}

function contactOf(gateway: Gateway, corporate: Entry, { id, customer, companies }: Entry): Entry {
  const { id: person, externalId } = personOf(gateway, customer) ?? (customer as Entry);
  return { id, customer: { id: person, externalId }, companies: worksAt(corporate, companies as Entry[]) };
}

/** The customer as the history shows a new one. */
function shownWhole(gateway: Gateway, entry: Entry): Entry {
  const plain = ({ isMain: _, ...part }: Entry) => part;
  const parts = (part: Part) => partsOf(entry, part).map((each) => plain(part.shown(gateway, entry, each)));
  return {
    ...shown(gateway, entry),
    addresses: parts(ADDRESS),
    companies: parts(COMPANY).map(({ customer: _, ...company }) => company),
    customerContacts: parts(CONTACT).map(({ id, customer }) => ({ id, customer })),
  };
}
