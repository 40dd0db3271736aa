import type { Entry } from "../records.ts";
import { defaultCode } from "../reference/defaults.ts";
import type { Writing } from "../resource/resource.ts";
import { written } from "../resource/writable.ts";
import { checkCodes, OF_PAYMENTS } from "./references.ts";

/** An order's payments after a write, which adds and changes some. Throws a Refusal. */
export function paymentsOf(writing: Writing, given: readonly Entry[], before: readonly Entry[]): Entry[] {
  const payments = new Map(before.map((payment) => [payment.id, payment]));
  for (const [n, each] of given.entries()) {
    const known = before.find(({ id, externalId }) =>
      each.id === undefined ? externalId !== undefined && externalId === each.externalId : id === each.id,
    );
    const payment = paymentOf(writing, each, known, `payments.${n}.`);
    payments.set(payment.id, payment);
  }
  return [...payments.values()];
}

/** Throws a Refusal. */
export function paymentOf(writing: Writing, given: Entry, known?: Entry, prefix?: string, form?: string): Entry {
  const { gateway, by } = writing;
  const { world } = gateway;
  checkCodes(world, OF_PAYMENTS, given, prefix, form);
  return {
    ...(known ?? {
      id: world.nextId(),
      type: defaultCode(world, "payment-types", by),
      status: defaultCode(world, "payment-statuses", by),
    }),
    ...written("Payment", given),
  };
}
