import type { Gateway } from "../../gateway/gateway.ts";
import { COMPANY, companyOf } from "../corporate/company.ts";
import { CONTACT } from "../corporate/contact.ts";
import { CORPORATE, mainPartsOf } from "../corporate/corporate.ts";
import { type Part, partsOf, withPart } from "../corporate/part.ts";
import { CUSTOMER } from "../customers/customer.ts";
import type { Entry } from "../records.ts";
import { create, keep, type Writing } from "../resource/resource.ts";
import { entityFault } from "../writing.ts";
import { namedIn } from "./named-party.ts";

// An order of a firm has a person to talk to and a company to bill.

const firmOf = ({ world }: Gateway, { id }: Entry) => world.tables.corporate.rows.get(Number(id)) as Entry;

/** The person that is named, or a new one who then acts for the firm. Throws a Refusal. */
export function contactIn(writing: Writing, firm: Entry, { type: _, ...given }: Entry): Entry {
  const known = namedIn(writing.gateway.world.tables.customers, given, "contact", writing.site);
  if (known) return { id: known.id };
  const { id } = create(CUSTOMER, writing, given);
  added(CONTACT, writing, firm, { customer: { id } });
  return { id };
}

/** The firm's company that is named, or a new one, which has a name. Throws a Refusal. */
export function companyIn(writing: Writing, firm: Entry, given: Entry): Entry {
  const { id, externalId } = given;
  const known = companyOf(firmOf(writing.gateway, firm), { id, externalId });
  if (known) return { id: known.id };
  if (id !== undefined) throw entityFault("order", "company.id", "This value is not valid.");
  if (externalId !== undefined && !given.name)
    throw entityFault("order", "company.externalId", `Company with externalId=${externalId} not found.`);
  return { id: added(COMPANY, writing, firm, given).id };
}

function added(kind: Part, writing: Writing, firm: Entry, given: Entry): Entry {
  const before = firmOf(writing.gateway, firm);
  const after = keep(CORPORATE, writing, withPart(kind, writing, before, given), before);
  return partsOf(after, kind).at(-1) as Entry;
}

/** The main ones, for new orders. */
export function mainParties(gateway: Gateway, firm: Entry): Entry {
  const { contact, company } = mainPartsOf(firmOf(gateway, firm));
  const { id } = (contact?.customer ?? {}) as Entry;
  return { ...(id !== undefined && { contact: { id } }), ...(company && { company: { id: company.id } }) };
}
