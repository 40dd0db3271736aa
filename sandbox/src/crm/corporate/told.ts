import { schemaOf } from "../contract.ts";
import type { Entry } from "../records.ts";
import type { FieldChange } from "../resource/history.ts";
import { type PartTold, paired, partsTold as told } from "../resource/parts.ts";
import { ADDRESS, shortly } from "./address.ts";
import { COMPANY, companyOf } from "./company.ts";
import { CONTACT } from "./contact.ts";
import { type Part, partsOf } from "./part.ts";

// What the history tells of a corporate customer's parts. The recorded entries are those of new parts, of main ones and
// of a contact's companies; changed fields follow the histories' rule for names.

/** Fields of a schema that hold no other object. */
const plainFields = (schema: string, prefix = ""): string[] =>
  Object.entries((schemaOf(schema).properties ?? {}) as Record<string, Entry>).flatMap(([field, { type }]) =>
    ["id", "isMain", "createdAt"].includes(field) || !["string", "integer", "boolean"].includes(String(type))
      ? []
      : `${prefix}${field}`,
  );

/** How entries tell of a kind of parts, which they show in a field of their own. */
interface KindTold extends PartTold {
  kind: Part;
}
const kindTold = (
  kind: Part,
  shown: string,
  { fields, named, whole }: Pick<PartTold, "fields" | "named" | "whole">,
): KindTold => ({
  kind,
  name: kind.one,
  fields,
  named,
  whole: (part) => ({ [shown]: whole(part) }),
  changed: (part) => ({ [shown]: named(part) }),
});

const TOLD_CONTACT = kindTold(CONTACT, "customerContact", {
  fields: () => [{ path: "customer.id", name: "customer", as: "id" }],
  named: ({ id }) => ({ id }),
  whole: ({ id, customer }) => ({ id, customer }),
});
const TOLD_ADDRESS = kindTold(ADDRESS, "address", {
  fields: () => plainFields("CustomerAddress"),
  named: shortly,
  whole: (part) => part,
});
const TOLD_COMPANY = kindTold(COMPANY, "company", {
  fields: () => [
    ...plainFields("Company").filter((field) => !field.endsWith("Summ") && field !== "ordersCount"),
    ...plainFields("CustomerContragent", "contragent."),
    { path: "address.id", name: "address", as: "id" },
  ],
  named: shortly,
  whole: ({ isMain: _, ...part }) => part,
});

export const partsTold = (before: Entry, after: Entry): FieldChange[] => [
  ...changesOf(TOLD_CONTACT, before, after),
  ...mainChange(TOLD_CONTACT, before, after),
  ...changesOf(TOLD_ADDRESS, before, after),
  ...changesOf(TOLD_COMPANY, before, after),
  ...mainChange(TOLD_COMPANY, before, after),
  ...contactCompanies(before, after),
];

const changesOf = (kind: KindTold, before: Entry, after: Entry): FieldChange[] =>
  told(partsOf(before, kind.kind), partsOf(after, kind.kind), kind);

function mainChange({ kind, named }: KindTold, before: Entry, after: Entry): FieldChange[] {
  const main = (corporate: Entry) => partsOf(corporate, kind).find(({ isMain }) => isMain);
  const [old, now] = [main(before), main(after)];
  if (old?.id === now?.id) return [];
  return [{ field: `main_${kind.one}`, oldValue: old ? named(old) : null, newValue: now ? named(now) : null }];
}

/** Links between contacts and companies. */
function contactCompanies(before: Entry, after: Entry): FieldChange[] {
  const links = (corporate: Entry) =>
    partsOf(corporate, CONTACT).flatMap(({ id, companies }) =>
      (companies as Entry[]).map((link) => ({ ...link, contact: { id } as Entry })),
    );
  return paired(links(before), links(after)).flatMap(([old, now]) => {
    if (old && now) return [];
    const { id, contact, company } = (now ?? old) as Entry;
    const value = { id, customer_contact: contact };
    const more = { company: shortly(companyOf(after, company as Entry) ?? {}), customerContact: contact };
    return [{ field: "contact.contact_company", oldValue: old ? value : null, newValue: now ? value : null, more }];
  });
}
