import type { Context } from "hono";
import type { Env } from "../exchange.ts";
import type { RefusalStatus } from "../refusal.ts";
import { BLANK } from "./writing.ts";

/** Words a refusal as the CRM does; `fault` comes from the judge. */
export function refuse(c: Context<Env>, status: RefusalStatus | 500 | 503, fault: string): Response {
  const [, missing] = /^\(body\) must have required property '(\w+)'$/.exec(fault) ?? [];
  if (missing) return errorAnswer(c, status, `Parameter '${missing}' is missing`);
  const [, filter, parameter] = /^\?(?:filter\[(\w+)\]|(\w+))/.exec(fault) ?? [];
  if (filter ?? parameter)
    return errorAnswer(c, status, "Errors in the input parameters", {
      [`children[${filter ?? parameter}]`]: "This value is not valid.",
    });
  const [, unknown, instead] = /^(API method not found)(?:: (.+))?$/.exec(fault) ?? [];
  if (unknown) return errorAnswer(c, status, unknown, instead ? [instead] : undefined);
  // Within an entity the CRM names the field.
  const [, path, why = ""] = /^\/(\w+(?:\/\w+)*) (.+)$/.exec(fault) ?? [];
  if (!path) return errorAnswer(c, status, fault);
  const [, property] = /^must have required property '(\w+)'$/.exec(why) ?? [];
  const field = [...path.split("/").slice(1), ...(property ? [property] : [])].join(".") || path;
  const errors = { [field]: property ? BLANK : why };
  return errorAnswer(c, status, HEADINGS[path.split("/")[0] ?? ""] ?? "Errors in the entity format", errors);
}

/** By the entity's form field, where the CRM has words of its own. */
const HEADINGS: Record<string, string> = { task: "Task is not loaded" };

const errorAnswer = (c: Context<Env>, status: number, errorMsg: string, errors?: object): Response =>
  c.json({ success: false, errorMsg, ...(errors && { errors }) }, status as 400);

/** Methods removed in version 5 and their replacements (spec: Versioning). */
const MODULE = "/api/v5/integration-modules/{code}";
const REMOVED: [RegExp, string][] = [
  [
    /^\/api\/v4\/(store|delivery\/generic|marketplace\/external|telephony)\/setting\/[^/]+\/edit$/,
    `POST ${MODULE}/edit`,
  ],
  [/^\/api\/v4\/(store|delivery\/generic|telephony)\/setting\/[^/]+$/, `GET ${MODULE}`],
];

export function unknownPath({ req: { path } }: Context<Env>): string {
  const instead = REMOVED.find(([pattern]) => pattern.test(path))?.[1];
  if (instead) return `API method not found: removed in version 5, use ${instead}`;
  return /^\/api\/v[34]\//.test(path) ? "API method not found: use version 5" : "API method not found";
}
