import type { Context } from "hono";
import type { Env } from "../exchange.ts";
import type { RefusalStatus } from "../refusal.ts";
import { replacedMethod } from "./removed.ts";
import { BLANK, entityErrors, fieldName } from "./writing.ts";

interface Wording {
  errorMsg: string;
  errors?: Record<string, string> | string[];
}

const INPUT = "Errors in the input parameters";

/** Recorded, and unlike the rest: by the end of the path. */
const RECORDED: { path: string; fault: RegExp; errors: Record<string, string> }[] = [
  {
    path: "/fix-external-ids",
    fault: /^\/\w+\/\d+\/id must be integer$/,
    errors: { id: "ID must be an integer" },
  },
  {
    path: "/users",
    fault: /^\?filter\[active\] /,
    errors: { active: "The value you selected is not a valid choice." },
  },
];

/** Words a refusal as the CRM does; `fault` comes from the judge. */
export function refuse(c: Context<Env>, status: RefusalStatus | 500 | 503, fault: string, more: object = {}): Response {
  const known = RECORDED.find((each) => each.fault.test(fault) && c.req.path.endsWith(each.path));
  const words = known ? { errorMsg: INPUT, errors: known.errors } : worded(fault);
  return c.json({ success: false, ...words, ...more }, status as 400);
}

export function worded(fault: string): Wording {
  const [, missing] = /^\(body\) must have required property '(\w+)'$/.exec(fault) ?? [];
  if (missing) return { errorMsg: `Parameter '${missing}' is missing` };
  const [, filter, parameter] = /^\?(?:filter\[(\w+)\]|(\w+))/.exec(fault) ?? [];
  if (filter ?? parameter)
    return {
      errorMsg: INPUT,
      errors: { [`children[${filter ?? parameter}]`]: "This value is not valid." },
    };
  const [, unknown, instead] = /^(API method not found)(?:: (.+))?$/.exec(fault) ?? [];
  if (unknown) return { errorMsg: unknown, ...(instead && { errors: [instead] }) };
  // Within an entity the CRM names the field.
  const [, pointer, why = ""] = /^\/(\w.*?) ((?:must|is) .+)$/.exec(fault) ?? [];
  if (!pointer) return { errorMsg: fault };
  const [form = "", ...path] = pointer.split("/");
  const [, property] = /^must have required property '(\w+)'$/.exec(why) ?? [];
  const field = fieldName(property ? [...path, property] : path);
  if (field) return entityErrors(form, field, property ? BLANK : why);
  // A form's whole entity: what it holds may be text that is no JSON.
  return entityErrors(form, form, why === "must be object" ? "must be a JSON object" : why);
}

export function unknownPath({ req: { path } }: Context<Env>): string {
  const instead = replacedMethod(path);
  if (instead) return `API method not found: removed in version 5, use ${instead}`;
  return /^\/api\/v[34]\//.test(path) ? "API method not found: use version 5" : "API method not found";
}
