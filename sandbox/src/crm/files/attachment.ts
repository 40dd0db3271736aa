import type { World } from "../../world.ts";
import { orderNamed } from "../orders/named.ts";
import { type Entry, idOf, picked } from "../records.ts";
import type { Writing } from "../resource/resource.ts";
import { recordIn } from "../resource/table.ts";
import { entityFault } from "../writing.ts";

/** What a file is bound to, with all names of each. Throws a Refusal. */
export const attachmentOf = ({ gateway: { world }, site }: Writing, given: Entry[]): Entry[] =>
  given.map((each, n) => ({
    ...(each.customer !== undefined && { customer: customerOf(world, each.customer as Entry, site, n) }),
    ...(each.order !== undefined && { order: orderOf(world, each.order as Entry, site, n) }),
  }));

/** Binds the files of a customer or an order that goes to the one that stays. */
export function moveFiles({ tables: { files } }: World, to: keyof typeof NAMED_BY, from: Entry, into: Entry): void {
  const holder = picked(into, NAMED_BY[to]);
  for (const id of files.having(`attachment.${to}.id`, from.id)) {
    const file = files.rows.get(id) as Entry;
    const moved = (each: Entry) => (idOf(each[to]) === from.id ? { ...each, [to]: holder } : each);
    files.put({ ...file, attachment: (file.attachment as Entry[]).map(moved) });
  }
}

const NAMED_BY = { customer: ["id", "externalId", "site"], order: ["id", "number", "externalId", "site"] };

function customerOf({ tables: { customers, corporate } }: World, given: Entry, own: string, n: number): Entry {
  const known = recordIn(customers, given, own) ?? recordIn(corporate, given, own);
  if (!known) throw entityFault("file", `attachment.${n}.customer`, "This value is not valid.");
  return picked(known, NAMED_BY.customer);
}

function orderOf(world: World, given: Entry, own: string, n: number): Entry {
  const known = orderNamed(world, given, own);
  if (!known) throw entityFault("file", `attachment.${n}.order`, "This value is not valid.");
  return picked(known, NAMED_BY.order);
}
