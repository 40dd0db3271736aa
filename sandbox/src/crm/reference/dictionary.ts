import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import type { Entries, Entry } from "../records.ts";
import { takes, written } from "../resource/writable.ts";
import { crmTime } from "../times.ts";
import { demand, merged, unknownCode } from "../writing.ts";

/** A dictionary of `/api/v5/reference/`: a description, served by `dictionaryRoutes`. */
export interface Dictionary {
  /** Below `/api/v5/reference/`. */
  path: string;
  /** The answer's field. */
  many: string;
  /** A map by code, a list, or the codes alone. */
  shape: "map" | "list" | "codes";
  /** The form's field. Absent: the CRM does not let it be edited. */
  one?: string;
  /** The contract's schema: it tells the fields that the API writes. */
  schema?: string;
  /** Entries have ids and are created by a call of their own; all others by their first edit. */
  ids?: boolean;
  /** Fields that a new entry needs, with the CRM's words for a missing one. */
  required?: Record<string, string>;
  /** Fields that hold the code, or a list of codes, of another dictionary's entries. */
  refers?: Record<string, string>;
  /** Flags that one entry of the dictionary has: setting it takes it from the others. */
  exclusive?: string[];
  /** Fields that an answer has even if nobody wrote them. */
  always?(world: World, entry: Entry): Entry;
  /** What the CRM adds on reading. */
  derived?(entry: Entry, world: World): Entry;
  seed: Entry[];
}
const NOT_THERE = "An attempt was made to edit a nonexistent record";

export const createDictionaries = (all: readonly Dictionary[], createdAt: string): World["dictionaries"] =>
  new Map(
    all.map(({ path, ids, schema = "", seed }) => {
      const dated = takes(schema, "createdAt") ? { createdAt } : {};
      const entries = structuredClone(seed).map((entry): [string, Entry] => [
        String(ids ? entry.id : entry.code),
        { ...entry, ...dated },
      ]);
      return [path, new Map(entries)];
    }),
  );

/** Serves each described dictionary's list, and its creating and editing. */
export function dictionaryRoutes(site: Hono<Env>, { world, clock }: Gateway, all: readonly Dictionary[]): void {
  const put = (dictionary: Dictionary, key: string, change: Entry) =>
    putEntry(dictionary, world, key, change, crmTime(clock.now()));
  for (const dictionary of all) {
    const { path, one, ids, schema = "" } = dictionary;
    const root = `/api/v5/reference/${path}`;
    site.get(root, (c) => c.json({ success: true, [dictionary.many]: shown(dictionary, world) }));
    if (!one) continue;
    const given = (body: unknown): Entry => {
      const { id: _, createdAt: __, ...fields } = written(schema, (body as Record<string, Entry>)[one] ?? {});
      return fields;
    };
    if (ids)
      site.post(`${root}/create`, (c) => {
        const id = world.nextId();
        put(dictionary, String(id), { ...given(bodyOf(c)), id });
        return c.json({ success: true, id }, 201);
      });
    site.post(`${root}/:key/edit`, (c) => {
      const key = c.req.param("key");
      if (ids && !world.dictionaries.get(path)?.has(key)) throw new Refusal(404, NOT_THERE, "the entry exists");
      put(dictionary, key, { ...given(bodyOf(c)), ...(ids ? { id: Number(key) } : { code: key }) });
      return c.json({ success: true });
    });
  }
}

/** Stores an entry; an edit keeps what it leaves out. Throws a Refusal. */
export function putEntry(dictionary: Dictionary, world: World, key: string, change: Entry, now: string): void {
  const { path, exclusive = [], schema = "" } = dictionary;
  const entries = world.dictionaries.get(path) as Entries;
  const begun = (): Entry => ({
    active: true,
    ...(takes(schema, "id") && change.id === undefined && { id: world.nextId() }),
    ...(takes(schema, "createdAt") && { createdAt: now }),
  });
  const entry = merged(entries.get(key) ?? begun(), change);
  check(dictionary, world, entry);
  for (const flag of exclusive.filter((each) => change[each] === true))
    for (const other of entries.values()) if (other[flag] === true) other[flag] = false;
  entries.set(key, entry);
}

function check({ one, required = {}, refers = {} }: Dictionary, world: World, entry: Entry): void {
  demand(String(one), entry, required);
  for (const [field, path] of Object.entries(refers))
    for (const code of [entry[field] ?? []].flat())
      if (!world.dictionaries.get(path)?.has(String(code))) throw unknownCode(String(one), field, field, code);
}

function shown({ path, shape, always, derived }: Dictionary, world: World): unknown {
  const entries = [...(world.dictionaries.get(path) ?? [])].map(
    ([key, entry]) => [key, { ...always?.(world, entry), ...entry, ...derived?.(entry, world) }] as const,
  );
  if (shape === "codes") return entries.map(([code]) => code);
  return shape === "map" ? Object.fromEntries(entries) : entries.map(([, entry]) => entry);
}
