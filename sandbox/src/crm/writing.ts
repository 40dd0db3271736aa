import { Refusal } from "../refusal.ts";
import { userBy } from "../users.ts";
import type { World } from "../world.ts";
import type { Entry } from "./records.ts";

export const BLANK = "This value should not be blank.";

/** Throws a Refusal in the CRM's words for the first field that is missing. `form` is the entity's form field. */
export function demand(form: string, entry: Entry, required: Record<string, string>): void {
  for (const [field, words] of Object.entries(required)) if (!entry[field]) throw entityFault(form, field, words);
}

/** 400 `Errors in the entity format`, with the field's error. `path` is dotted: `items.0.offer`. */
export function entityFault(form: string, path: string, words: string): Refusal {
  const field = fieldName(path.split("."));
  return new Refusal(400, `${form}: ${field}: ${words}`, `${field}: ${words}`, entityErrors(form, field, words));
}

/** An error's key, where indexes stand in brackets, as in the recorded `items[0].offer.id`. */
export const fieldName = (path: readonly string[]): string =>
  path.map((part, n) => (/^\d+$/.test(part) ? `[${part}]` : `${n > 0 ? "." : ""}${part}`)).join("");

/** By the entity's form field, where the CRM has words of its own. */
const HEADINGS: Record<string, string> = { task: "Task is not loaded", order: "Order is not loaded" };

/** What an answer says of an entity's wrong field. */
export const entityErrors = (form: string, field: string, words: string) => ({
  errorMsg: HEADINGS[form] ?? "Errors in the entity format",
  errors: { [field]: words },
});

/** Throws a Refusal for an id of no user. */
export function checkUser(world: World, form: string, id: unknown, field = "managerId"): void {
  if (id !== undefined && !userBy(world, id)) throw entityFault(form, field, "This value is not valid.");
}

export const unknownCode = (form: string, field: string, what: string, code: unknown): Refusal =>
  entityFault(form, field, `"${what}" with "code"="${code}" does not exist.`);

const isMap = (value: unknown): value is Entry => typeof value === "object" && value !== null && !Array.isArray(value);

/** Objects keep the fields that a change leaves out; lists are replaced. */
export const merged = (before: Entry, change: Entry): Entry => ({
  ...before,
  ...Object.fromEntries(
    Object.entries(change).map(([field, value]) => {
      const old = before[field];
      return [field, isMap(old) && isMap(value) ? merged(old, value) : value];
    }),
  ),
});
