import { checkCustomValues } from "../custom-values.ts";
import { NO_ORDERS } from "../customers/blank.ts";
import type { Entry } from "../records.ts";
import { equal } from "../resource/filters.ts";
import type { Writing } from "../resource/resource.ts";
import { shownBy, written } from "../resource/writable.ts";
import { entityFault, merged } from "../writing.ts";
import { ADDRESS, shortly } from "./address.ts";
import { isSame, type Part, partsOf, type Reference, withPart } from "./part.ts";

export const COMPANY: Part = {
  path: "companies",
  one: "company",
  kept: "companies",
  filters: () => equal({ ids: "id", externalIds: "externalId" }),
  unique: "externalId",
  reference: (_, part) => part,
  named: (_, { externalId }) => ({ externalId }),
  firstIsMain: (gateway) => gateway.unknowns().firstCompanyMain,
  apply(writing, owner, given, before) {
    const { address: _, ...fields } = written("Company", given);
    checkCustomValues(writing.gateway.world, "company", "company", fields.customFields);
    // Recorded of a company that was created with its name alone.
    const blank = { active: true, createdAt: writing.now, contragent: { contragentType: "legal-entity" } };
    const part = merged({ ...blank, ...before }, fields);
    if (!given.address) return { corporate: owner, part };
    const { corporate, id } = placed(writing, owner, given.address as Entry);
    return { corporate, part: { ...part, address: { id } } };
  },
  shown(_, corporate, { address, ...part }) {
    const at = partsOf(corporate, ADDRESS).find(({ id }) => id === (address as Entry | undefined)?.id);
    const { id, externalId, type, site } = corporate;
    return {
      ...NO_ORDERS,
      customFields: [],
      ...shownBy("Company", part),
      customer: { id, externalId, type, site },
      ...(at && { address: shortly(at) }),
    };
  },
};

/** By id, else by externalId. */
export function companyOf(corporate: Entry, { id, externalId }: Reference): Entry | undefined {
  const reference = id === undefined ? { externalId } : { id };
  return partsOf(corporate, COMPANY).find((company) => isSame(company, reference));
}

/** A company's address is one of the customer's, or a new one. Throws a Refusal. */
function placed(writing: Writing, owner: Entry, given: Entry): { corporate: Entry; id: unknown } {
  const known = partsOf(owner, ADDRESS).find((each) => isSame(each, given));
  if (known) return { corporate: owner, id: known.id };
  if (given.id !== undefined) throw entityFault("company", "address", "This value is not valid.");
  const corporate = withPart(ADDRESS, writing, owner, given);
  return { corporate, id: partsOf(corporate, ADDRESS).at(-1)?.id };
}
