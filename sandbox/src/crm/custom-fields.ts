import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { World } from "../world.ts";
import { containing, flagged, type ListFilters, listed, oneOf } from "./listing.ts";
import { type Entries, type Entry, found } from "./records.ts";
import { written } from "./resource/writable.ts";
import { BLANK, demand, entityFault, merged, unknownCode } from "./writing.ts";

// Custom fields and their data books. Their code, entity and type stay; no source tells of a deletion.

const text = (field: string) => (entry: Entry) => String(entry[field] ?? "");
const DICTIONARY_FILTERS: ListFilters<Entry> = { name: containing(text("name")), code: oneOf(text("code")) };
const FIELD_FILTERS: ListFilters<Entry> = {
  ...DICTIONARY_FILTERS,
  type: oneOf(text("type")),
  viewMode: oneOf(text("viewMode")),
  displayArea: oneOf(text("displayArea")),
  entity: oneOf(text("entity")),
  inFilter: flagged(({ inFilter }) => inFilter === true),
};
const BY_DICTIONARY = ["dictionary", "multiselect_dictionary"];
const EXISTS = "the code exists";
/** What a field has unless it says otherwise; recorded fields have all of these. */
export const NEW_FIELD: Entry = {
  required: false,
  inFilter: false,
  inList: false,
  inGroupActions: false,
  ordering: 50,
  viewMode: "editable",
};

export function customFieldRoutes(site: Hono<Env>, world: World): void {
  const { customFields, customDictionaries } = world;
  const root = "/api/v5/custom-fields";
  // First: `dictionaries` is no entity.
  site.get(`${root}/dictionaries`, (c) =>
    listed(c, {
      name: "customDictionaries",
      entries: customDictionaries.values(),
      supported: DICTIONARY_FILTERS,
      shown: (entry) => entry,
    }),
  );
  site.post(`${root}/dictionaries/create`, (c) => {
    const customDictionary = givenDictionary(c);
    const code = String(customDictionary.code ?? "");
    create(customDictionaries, "customDictionary", code, checkedDictionary(customDictionary));
    return c.json({ success: true, code }, 201);
  });
  site.get(`${root}/dictionaries/:code`, (c) =>
    c.json({ success: true, customDictionary: found(customDictionaries, c.req.param("code"), EXISTS) }),
  );
  site.post(`${root}/dictionaries/:code/edit`, (c) => {
    const code = c.req.param("code");
    const entry = merged(found(customDictionaries, code, EXISTS), { ...givenDictionary(c), code });
    customDictionaries.set(code, checkedDictionary(entry));
    return c.json({ success: true, code });
  });
  site.get(root, (c) =>
    listed(c, {
      name: "customFields",
      entries: customFields.values(),
      supported: FIELD_FILTERS,
      shown: (entry) => entry,
    }),
  );
  site.post(`${root}/:entity/create`, (c) => {
    const customField = givenField(c);
    const code = String(customField.code ?? "");
    const entity = c.req.param("entity");
    const entry = checkedField(world, { ...NEW_FIELD, ...customField, entity });
    create(customFields, "customField", `${entity}/${code}`, entry);
    return c.json({ success: true, code }, 201);
  });
  site.get(`${root}/:entity/:code`, (c) =>
    c.json({ success: true, customField: found(customFields, keyOf(c), EXISTS) }),
  );
  site.post(`${root}/:entity/:code/edit`, (c) => {
    const key = keyOf(c);
    const known = found(customFields, key, EXISTS);
    const { entity, code, type } = known;
    customFields.set(key, checkedField(world, merged(known, { ...givenField(c), entity, code, type })));
    return c.json({ success: true, code });
  });
}

const givenField = (c: Context<Env>) => written("CustomField", bodyOf<{ customField: Entry }>(c).customField);
const givenDictionary = (c: Context<Env>) =>
  written("CustomDictionary", bodyOf<{ customDictionary: Entry }>(c).customDictionary);
const keyOf = (c: Context<Env>) => `${c.req.param("entity")}/${c.req.param("code")}`;

function create(entries: Entries, form: string, key: string, entry: Entry): void {
  if (entries.has(key)) throw entityFault(form, "code", "This value is already used.");
  entries.set(key, entry);
}

/** Throws a Refusal. */
function checkedDictionary(entry: Entry): Entry {
  const form = "customDictionary";
  demand(form, entry, { code: BLANK, name: BLANK, elements: BLANK });
  for (const [n, element] of (entry.elements as Entry[]).entries())
    for (const field of ["name", "code"]) if (!element[field]) throw entityFault(form, `elements.${n}.${field}`, BLANK);
  return entry;
}

/** Throws a Refusal. */
function checkedField({ customDictionaries }: World, entry: Entry): Entry {
  demand("customField", entry, { code: BLANK, name: BLANK, type: BLANK });
  if (!BY_DICTIONARY.includes(String(entry.type))) return entry;
  demand("customField", entry, { dictionary: BLANK });
  const { dictionary } = entry;
  if (!customDictionaries.has(String(dictionary)))
    throw unknownCode("customField", "dictionary", "CustomDictionary", dictionary);
  return entry;
}
