import { schemaOf } from "../contract.ts";
import type { Entry } from "../records.ts";
import { type FieldChange, fieldsChanged, type Told } from "../resource/history.ts";
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

interface PartTold {
  kind: Part;
  fields(): Told["fields"];
  /** As the values name it. */
  named(part: Entry): Entry;
  /** As the entry shows a new one. */
  whole(part: Entry): Entry;
}
const TOLD: Record<"contact" | "address" | "company", PartTold> = {
  contact: {
    kind: CONTACT,
    fields: () => [{ path: "customer.id", name: "customer", as: "id" }],
    named: ({ id }) => ({ id }),
    whole: ({ id, customer }) => ({ id, customer }),
  },
  address: {
    kind: ADDRESS,
    fields: () => plainFields("CustomerAddress"),
    named: shortly,
    whole: (part) => part,
  },
  company: {
    kind: COMPANY,
    fields: () => [
      ...plainFields("Company").filter((field) => !field.endsWith("Summ") && field !== "ordersCount"),
      ...plainFields("CustomerContragent", "contragent."),
      { path: "address.id", name: "address", as: "id" },
    ],
    named: shortly,
    whole: ({ isMain: _, ...part }) => part,
  },
};

export const partsTold = (before: Entry, after: Entry): FieldChange[] => [
  ...changesOf(TOLD.contact, before, after),
  ...mainChange(TOLD.contact, before, after),
  ...changesOf(TOLD.address, before, after),
  ...changesOf(TOLD.company, before, after),
  ...mainChange(TOLD.company, before, after),
  ...contactCompanies(before, after),
];

/** The entry's field with the part. */
const shownAs = ({ one }: Part): string => (one === "contact" ? "customerContact" : one);

/** Pairs by id; one side is missing where a part came or went. */
function paired(before: Entry[], after: Entry[]): [before: Entry | undefined, after: Entry | undefined][] {
  const kept = before.map((each): [Entry, Entry | undefined] => [each, after.find(({ id }) => id === each.id)]);
  const added = after.filter(({ id }) => !before.some((each) => each.id === id));
  return [...kept, ...added.map((each): [undefined, Entry] => [undefined, each])];
}

function changesOf({ kind, fields, named, whole }: PartTold, before: Entry, after: Entry): FieldChange[] {
  return paired(partsOf(before, kind), partsOf(after, kind)).flatMap(([old, now]): FieldChange[] => {
    const part = now ?? old ?? {};
    if (!old || !now) {
      const values = { oldValue: old ? named(old) : null, newValue: now ? named(now) : null };
      return [{ field: kind.one, ...values, more: { [shownAs(kind)]: whole(part) } }];
    }
    return fieldsChanged(fields(), old, now).map((change) => ({
      ...change,
      field: `${kind.one}.${change.field}`,
      more: { [shownAs(kind)]: named(part) },
    }));
  });
}

function mainChange({ kind, named }: PartTold, before: Entry, after: Entry): FieldChange[] {
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
