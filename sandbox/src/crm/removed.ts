import { Refusal } from "../refusal.ts";
import type { Entry } from "./records.ts";

// What version 5 removed, and what replaced it (spec: Versioning).

const MODULE = "/api/v5/integration-modules/{code}";
const METHODS: [RegExp, string][] = [
  [
    /^\/api\/v4\/(store|delivery\/generic|marketplace\/external|telephony)\/setting\/[^/]+\/edit$/,
    `POST ${MODULE}/edit`,
  ],
  [/^\/api\/v4\/(store|delivery\/generic|telephony)\/setting\/[^/]+$/, `GET ${MODULE}`],
];
/** By form: the removed field, and what replaced it. */
const FIELDS: Record<string, Record<string, string>> = {
  customer: { commentary: "POST /api/v5/customers/notes/create" },
};

export const replacedMethod = (path: string): string | undefined =>
  METHODS.find(([pattern]) => pattern.test(path))?.[1];

/** Throws a Refusal that names a removed field and its replacement. */
export function refuseRemoved(form: string, given: Entry): void {
  for (const [field, instead] of Object.entries(FIELDS[form] ?? {}))
    if (field in given)
      throw new Refusal(400, `/${form}/${field} removed in version 5, use ${instead}`, "the field exists in version 5");
}
