import type { Gateway } from "../../gateway/gateway.ts";
import type { ListFilters } from "../listing.ts";
import type { Entry } from "../records.ts";
import type { Writing } from "../resource/resource.ts";
import { entityFault } from "../writing.ts";

/** A kind of parts of a corporate customer, which keeps them: its addresses, companies or contacts. */
export interface Part {
  /** Below the corporate customer's path; the answer's field. */
  path: "addresses" | "companies" | "contacts";
  /** The form's field. */
  one: "address" | "company" | "contact";
  /** The corporate customer's field. */
  kept: "addresses" | "companies" | "customerContacts";
  filters(gateway: Gateway): ListFilters<Entry>;
  /** The field that no two parts of a customer share. */
  unique: "externalId" | "customer";
  /** What a path names a kept part by. */
  reference(gateway: Gateway, part: Entry): Reference;
  /** What a given part is named by. Throws a Refusal. */
  named(writing: Writing, given: Entry): Reference;
  /** Whether a customer's first one becomes the main one unasked. */
  firstIsMain(gateway: Gateway): boolean;
  /** The part after a write, and its customer, to which the write may add. Throws a Refusal. */
  apply(writing: Writing, corporate: Entry, given: Entry, before: Entry): { corporate: Entry; part: Entry };
  shown(gateway: Gateway, corporate: Entry, part: Entry): Entry;
}
export interface Reference {
  id?: unknown;
  externalId?: unknown;
}

export const partsOf = (corporate: Entry, { kept }: Pick<Part, "kept">): Entry[] => (corporate[kept] ?? []) as Entry[];

export const isSame = (one: Reference, other: Reference): boolean =>
  (one.id !== undefined && one.id === other.id) ||
  (Boolean(one.externalId) && String(one.externalId) === String(other.externalId));

/** The corporate customer with a part that is new or, given `before`, changed. Throws a Refusal. */
export function withPart(kind: Part, writing: Writing, owner: Entry, given: Entry, before?: Entry): Entry {
  const { gateway } = writing;
  const id = before?.id ?? gateway.world.nextId();
  const { corporate, part } = kind.apply(writing, owner, given, before ?? { id });
  const own = partsOf(corporate, kind);
  const isMain = (part.isMain ?? (own.length === 0 && kind.firstIsMain(gateway))) === true;
  const reference = kind.reference(gateway, part);
  const taken = kind.unique === "customer" ? { id: reference.id } : { externalId: reference.externalId };
  if (own.some((each) => each.id !== id && isSame(kind.reference(gateway, each), taken)))
    throw entityFault(kind.one, kind.unique, "This value is already used.");
  const others = own.map((each) => (isMain && each.isMain ? { ...each, isMain: false } : each));
  const entry = { ...part, isMain };
  const parts = before ? others.map((each) => (each.id === id ? entry : each)) : [...others, entry];
  return { ...corporate, [kind.kept]: parts };
}

/** The corporate customer with parts that are given with it: known ones change. Throws a Refusal. */
export function withParts(kind: Part, writing: Writing, owner: Entry, given: Entry[]): Entry {
  return given.reduce((corporate, each) => {
    const reference = kind.named(writing, each);
    const before = partsOf(corporate, kind).find((part) => isSame(kind.reference(writing.gateway, part), reference));
    return withPart(kind, writing, corporate, each, before);
  }, owner);
}
