import type { World } from "../../world.ts";
import { orderNamed } from "../orders/named.ts";
import { type Entry, picked } from "../records.ts";
import { recordIn } from "../resource/table.ts";
import { entityFault } from "../writing.ts";

/** What a file is bound to, with all names of each. Throws a Refusal. */
export const attachmentOf = (world: World, given: Entry[]): Entry[] =>
  given.map((each, n) => ({
    ...(each.customer !== undefined && { customer: customerOf(world, each.customer as Entry, n) }),
    ...(each.order !== undefined && { order: orderOf(world, each.order as Entry, n) }),
  }));

/** Binds the files of a customer who goes to the one who stays. */
export function moveFiles({ tables: { files } }: World, from: Entry, into: Entry): void {
  const customer = picked(into, HOLDER);
  for (const id of files.having("attachment.customer.id", from.id)) {
    const file = files.rows.get(id) as Entry;
    const moved = (each: Entry) =>
      (each.customer as Entry | undefined)?.id === from.id ? { ...each, customer } : each;
    files.put({ ...file, attachment: (file.attachment as Entry[]).map(moved) });
  }
}

const HOLDER = ["id", "externalId", "site"];

function customerOf({ tables: { customers, corporate } }: World, given: Entry, n: number): Entry {
  const known = recordIn(customers, given) ?? recordIn(corporate, given);
  if (!known) throw entityFault("file", `attachment.${n}.customer`, "This value is not valid.");
  return picked(known, HOLDER);
}

function orderOf(world: World, given: Entry, n: number): Entry {
  const known = orderNamed(world, given);
  if (!known) throw entityFault("file", `attachment.${n}.order`, "This value is not valid.");
  return picked(known, ["id", "number", "externalId", "site"]);
}
