import type { z } from "zod";
import { listedFor, OLDER_METHODS, REFUSED_METHODS, SERVED_METHODS } from "./catalogue.ts";
import { type Args, DICTIONARY, isUpload, type Name } from "./dictionary.ts";

const NAMED = [...SERVED_METHODS, ...REFUSED_METHODS].map((name) => [name, name]);
const BY_LOWER = new Map(
  [...NAMED, ...Object.entries(OLDER_METHODS)].map(([name = "", method = ""]) => [name.toLowerCase(), method]),
);
/** Method names are case-insensitive. */
export const methodNamed = (name: string): string | undefined => BY_LOWER.get(name.toLowerCase());

export interface RawCall {
  values: ReadonlyMap<string, unknown>;
  /** Query and form values are strings. */
  isForm: boolean;
}
export interface Judged {
  /** Valid arguments; the rest counts as absent. */
  args: Args;
  faults: string[];
}

export function judge(method: string, { values, isForm }: RawCall): Judged {
  const { names, required } = listedFor(method);
  const faults: string[] = [];
  const args: Record<string, unknown> = {};
  for (const [name, value] of values) {
    if (value === null || value === undefined) continue;
    // A webhook's answer names its method this way, and some clients do so in every form.
    if (name === "method" && methodNamed(String(value)) === method) continue;
    if (!names.has(name)) {
      if (!isUpload(value) || !isAttached(name, values)) faults.push(`${name}: not a parameter of ${method}`);
      continue;
    }
    const { kept, faults: found } = judgeValue(DICTIONARY[name as Name], value, isForm);
    faults.push(...found.map((each) => `${name}${each}`));
    if (kept !== undefined) args[name] = kept;
  }
  for (const name of required) if (!values.has(name)) faults.push(`${name}: is missing`);
  return { args: args as Args, faults };
}

const isAttached = (name: string, values: ReadonlyMap<string, unknown>): boolean => {
  const rest = [...values.values()].filter((value) => !isUpload(value));
  return JSON.stringify(rest).includes(`attach://${name}`);
};

function judgeValue(schema: z.ZodType, value: unknown, isForm: boolean): { kept?: unknown; faults: string[] } {
  const first = schema.safeParse(value);
  if (first.success) return { kept: first.data, faults: [] };
  const read = typeof value === "string" ? parsed(value) : value;
  const second = schema.safeParse(read);
  // Any body may carry an object as JSON; only forms may carry numbers and booleans as strings.
  const isFair = isForm || typeof read === "object";
  if (second.success) return { kept: second.data, faults: isFair ? [] : [": is of the wrong type"] };
  const third = schema.safeParse(typeof value === "number" ? String(value) : isYes(value));
  if (third.success) return { kept: third.data, faults: isForm ? [] : [": is of the wrong type"] };
  const issues = second.error.issues;
  const faults = issues.map((each) => `${each.path.map((part) => `.${String(part)}`).join("")}: ${each.message}`);
  return { kept: issues.every((each) => each.code === "unrecognized_keys") ? read : undefined, faults };
}

/** A form's true: to_bool in Client.cpp of telegram-bot-api. */
const isYes = (value: unknown): unknown =>
  typeof value === "string" ? ["true", "yes", "1"].includes(value.trim().toLowerCase()) : undefined;

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
