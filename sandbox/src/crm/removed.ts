import type { Entry } from "./records.ts";
import { entityFault } from "./writing.ts";

// What version 5 removed, and what replaced it (spec: Versioning).

const MODULE = "/api/v5/integration-modules/{code}";
const METHODS: [RegExp, string][] = [
  [
    /^\/api\/v4\/(store|delivery\/generic|marketplace\/external|telephony)\/setting\/[^/]+\/edit$/,
    `POST ${MODULE}/edit`,
  ],
  [/^\/api\/v4\/(store|delivery\/generic|telephony)\/setting\/[^/]+$/, `GET ${MODULE}`],
];
type Fields = Record<string, string>;
const PAYMENTS = "POST /api/v5/orders/payments/create";
const DISCOUNTS: Fields = { discount: "discountManualAmount", discountPercent: "discountManualPercent" };
/** By form: the removed field, and what replaced it. */
const FIELDS: Record<string, Fields> = {
  customer: { commentary: "POST /api/v5/customers/notes/create" },
  order: { paymentType: PAYMENTS, paymentStatus: PAYMENTS, paymentDetail: PAYMENTS, ...DISCOUNTS },
};
/** The same of the entries of a form's list. */
const PARTS: Record<string, Record<string, Fields>> = { order: { items: DISCOUNTS } };

export const replacedMethod = (path: string): string | undefined =>
  METHODS.find(([pattern]) => pattern.test(path))?.[1];

/** Throws a Refusal that names a removed field and its replacement. */
export function refuseRemoved(form: string, given: Entry): void {
  refuse(form, "", FIELDS[form], given);
  for (const [list, fields] of Object.entries(PARTS[form] ?? {}))
    for (const [n, part] of ((given[list] ?? []) as Entry[]).entries()) refuse(form, `${list}.${n}.`, fields, part);
}

function refuse(form: string, prefix: string, fields: Fields = {}, given: Entry): void {
  for (const [field, instead] of Object.entries(fields))
    if (field in given) throw entityFault(form, `${prefix}${field}`, `removed in version 5, use ${instead}`);
}
