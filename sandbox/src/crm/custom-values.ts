import type { World } from "../world.ts";
import type { Filter } from "./listing.ts";
import type { Entry } from "./records.ts";
import { isReal } from "./times.ts";
import { entityFault } from "./writing.ts";

// Values of custom fields in customers, companies and orders: dictionaries by code, several codes as a list, days as
// Y-m-d, the rest typed.

const DAY = /^\d{4}-\d\d-\d\d$/;
const VALID: Record<string, (value: unknown) => boolean> = {
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  numeric: (value) => typeof value === "number",
  date: (value) => DAY.test(String(value)) && isReal(String(value)),
  multiselect_dictionary: Array.isArray,
};

/** Throws a Refusal for an unknown field, or a value of the wrong kind. */
export function checkCustomValues(world: World, form: string, entity: string, values: unknown): void {
  for (const [code, value] of Object.entries((values ?? {}) as Entry)) {
    const field = world.customFields.get(`${entity}/${code}`);
    const { type = "", dictionary } = field ?? {};
    const valid = field && (value === null || (VALID[String(type)] ?? (() => true))(value));
    if (!valid || !isKnown(world, dictionary, value))
      throw entityFault(form, `customFields.${code}`, "This value is not valid.");
  }
}

function isKnown({ customDictionaries }: World, dictionary: unknown, value: unknown): boolean {
  if (!dictionary || value === null) return true;
  const elements = (customDictionaries.get(String(dictionary))?.elements ?? []) as Entry[];
  return [value].flat().every((code) => elements.some((element) => element.code === code));
}

/** `filter[customFields][code]=…`, `…[code][]=…` for several, `…[code][min]` and `[max]` for numbers and days. */
export const byCustomValues: Filter<Entry> = (values, keys) => {
  const wanted = keys.map((key, n) => {
    const [, code = "", how = ""] = /^\[([^\]]+)\](?:\[(\w*)\])?/.exec(key) ?? [];
    return { code, how, value: values[n] ?? "" };
  });
  return ({ customFields }) => {
    const own = (customFields ?? {}) as Entry;
    return wanted.every(({ code, how, value }) => {
      if (!Object.hasOwn(own, code) || own[code] === null) return false;
      if (how === "min") return compared(own[code], value) >= 0;
      if (how === "max") return compared(own[code], value) <= 0;
      const several = wanted.filter((each) => each.code === code).map((each) => each.value);
      return [own[code]].flat().some((each) => several.includes(String(each)));
    });
  };
};

function compared(own: unknown, value: string): number {
  if (typeof own === "number") return own - Number(value);
  return String(own) < value ? -1 : Number(String(own) > value);
}
