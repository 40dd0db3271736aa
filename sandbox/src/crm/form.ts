import type { Context } from "hono";
import { type Env, parse } from "../exchange.ts";
import { MAX_DEPTH } from "../normalize.ts";

type Fields = Record<string, unknown>;

/** Entities come as JSON in one field or as PHP's bracketed fields; both occur. `json`: a whole form may be JSON, too. */
export async function readForm(c: Context<Env>, json: boolean): Promise<{ body: unknown; text: string }> {
  if (c.req.method !== "POST") return { body: undefined, text: "" };
  if (c.req.path.endsWith("/files/upload")) return { body: "", text: "(bytes)" };
  const given = json && /^application\/json/i.test(typeOf(c)) ? await jsonFields(c) : await fieldsOf(c);
  const fields: Fields = Object.create(null);
  const sizes = new Map<Fields, number>();
  for (const [name, value] of given) {
    // The documented alternative to the header.
    if (name === "apiKey") c.set("formKey", value);
    else if (name.includes("[")) setIn(fields, pathOf(name), value, sizes);
    else fields[name] = /^\s*[[{]/.test(value) ? (parse(value) ?? value) : value;
  }
  const body = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, withLists(value)]));
  return { body, text: given.toString() };
}

const typeOf = (c: Context<Env>): string => c.req.header("content-type") ?? "";

async function jsonFields(c: Context<Env>): Promise<URLSearchParams> {
  const given = parse(await c.req.raw.clone().text());
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(given ?? {}))
    if (value !== null) fields.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return fields;
}

/** Urlencoded or multipart. File parts are ignored; a broken form has no fields. */
async function fieldsOf(c: Context<Env>): Promise<URLSearchParams> {
  const copy = c.req.raw.clone();
  if (!/^multipart\/form-data/i.test(typeOf(c))) return new URLSearchParams(await copy.text());
  const form = await copy.formData().catch(() => new FormData());
  const fields = new URLSearchParams();
  for (const [name, value] of form) if (typeof value === "string") fields.append(name, value);
  return fields;
}

/** Deeper levels than any request may have are left out, but for those that show it. */
const MAX_LEVELS = MAX_DEPTH + 2;

/** PHP ignores what follows the brackets. */
function pathOf(name: string): string[] {
  let at = name.indexOf("[");
  const path = [name.slice(0, at)];
  while (name[at] === "[" && path.length < MAX_LEVELS) {
    const end = name.indexOf("]", at);
    if (end < 0) break;
    path.push(name.slice(at + 1, end));
    at = end + 1;
  }
  return path;
}

/**
 * Only writes to null-prototype objects: a field named `__proto__` is harmless there. `sizes` counts the entries of lists
 * that `[]` adds to.
 */
function setIn(root: Fields, path: string[], value: string, sizes: Map<Fields, number>): void {
  let at = root;
  for (const [n, given] of path.entries()) {
    const size = given === "" ? (sizes.get(at) ?? Object.keys(at).length) : undefined;
    if (size !== undefined) sizes.set(at, size + 1);
    const key = size === undefined ? given : String(size);
    if (n === path.length - 1) {
      at[key] = value;
      return;
    }
    if (!isOurs(at[key])) at[key] = Object.create(null);
    at = at[key] as Fields;
  }
}

const isOurs = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;

/** Keys 0, 1, 2 … become a list. */
function withLists(value: unknown): unknown {
  if (!isOurs(value)) return value;
  const keys = Object.keys(value);
  const isList = keys.length > 0 && keys.every((key, n) => key === String(n));
  if (isList) return keys.map((key) => withLists(value[key]));
  return Object.fromEntries(keys.map((key) => [key, withLists(value[key])]));
}
