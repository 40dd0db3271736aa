import { describe, expect, it } from "vitest";
import { worded } from "../../../sandbox/src/crm/errors.ts";
import type { Entry } from "../../../sandbox/src/crm/records.ts";
import { refuseRemoved } from "../../../sandbox/src/crm/removed.ts";
import { account } from "./account.ts";

/** The spec's own list. */
const REMOVED =
  "order[paymentType], order[paymentStatus], order[paymentDetail], order[discount], order[discountPercent], order[items][][discount], order[items][][discountPercent], customer[commentary]";
const INSTEAD: Record<string, string> = {
  discount: "discountManualAmount",
  discountPercent: "discountManualPercent",
  commentary: "POST /api/v5/customers/notes/create",
};

/** What a record would say that has the field. */
function refusalOf(form: string, given: Entry): unknown {
  try {
    refuseRemoved(form, given);
  } catch (error) {
    return worded((error as Error).message).errors;
  }
  return undefined;
}

describe("spec: Versioning, removed fields", () => {
  it.each(REMOVED.split(", "))('"Removed in v5 (fields)": %s is refused by name, with what replaced it', (path) => {
    const [, form = "", list, field = ""] = /^(\w+)(?:\[(items)\]\[\])?\[(\w+)\]$/.exec(path) ?? [];
    const given = list ? { [list]: [{ quantity: 1 }, { [field]: 1 }] } : { [field]: 1 };
    const instead = INSTEAD[field] ?? "POST /api/v5/orders/payments/create";
    const named = list ? `${list}[1].${field}` : field;
    expect(refusalOf(form, given)).toEqual({ [named]: `removed in version 5, use ${instead}` });
  });

  it("leaves the fields of version 5 alone", () => {
    const order = { payments: [], discountManualAmount: 1, items: [{ discountManualPercent: 1, discountTotal: 1 }] };
    expect([refusalOf("order", order), refusalOf("customer", { firstName: "Ann" })]).toEqual([undefined, undefined]);
  });

  it('"Replaced by customer notes (separate resource).": in a form that creates, edits or uploads', async () => {
    const { submit } = account();
    const root = "/api/v5/customers";
    await submit(`${root}/create`, { customer: { externalId: "ann", firstName: "Ann" } });
    const customer = { firstName: "Ann", commentary: "Pays late" };
    const errors = { commentary: "removed in version 5, use POST /api/v5/customers/notes/create" };
    const sent: [string, object][] = [
      ["create", { customer }],
      ["ann/edit", { customer }],
      ["upload", { customers: [customer] }],
    ];
    for (const [path, form] of sent)
      expect((await submit(`${root}/${path}`, form as Entry)).body).toMatchObject({ success: false, errors });
  });
});
