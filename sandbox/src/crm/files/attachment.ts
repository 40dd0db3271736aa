import type { World } from "../../world.ts";
import { orderNamed } from "../orders/named.ts";
import { type Entry, idOf, picked } from "../records.ts";
import type { Writing } from "../resource/resource.ts";
import { recordIn } from "../resource/table.ts";
import { entityFault } from "../writing.ts";

/** What a file can be bound to, with the names that answers show. */
const NAMED_BY = { customer: ["id", "externalId", "site"], order: ["id", "number", "externalId", "site"] };
type Holder = keyof typeof NAMED_BY;
const HOLDERS: readonly Holder[] = ["customer", "order"];

/** What a file is bound to, by id. Throws a Refusal. */
export const attachmentOf = ({ gateway: { world }, site }: Writing, given: Entry[]): Entry[] =>
  given.map((each, n) => {
    const bound = HOLDERS.flatMap((to) => {
      if (each[to] === undefined) return [];
      const known = namedAs(world, to, each[to] as Entry, site);
      if (!known) throw entityFault("file", `attachment.${n}.${to}`, "This value is not valid.");
      return [[to, { id: known.id }]];
    });
    return Object.fromEntries(bound);
  });

function namedAs(world: World, to: Holder, given: Entry, own: string): Entry | undefined {
  if (to === "order") return orderNamed(world, given, own);
  const { customers, corporate } = world.tables;
  return recordIn(customers, given, own) ?? recordIn(corporate, given, own);
}

/** What a file is bound to, with all names as they are now. */
export const attachedTo = (world: World, { attachment }: Entry): Entry[] =>
  ((attachment ?? []) as Entry[]).map((each) =>
    Object.fromEntries(
      HOLDERS.flatMap((to) => {
        const reference = each[to] as Entry | undefined;
        return reference ? [[to, picked(namedAs(world, to, { id: reference.id }, "") ?? reference, NAMED_BY[to])]] : [];
      }),
    ),
  );

/** Binds the files of a customer or an order that goes to the one that stays. */
export function moveFiles({ tables: { files } }: World, to: Holder, from: Entry, { id }: Entry): void {
  for (const each of files.having(`attachment.${to}.id`, from.id)) {
    const file = files.rows.get(each) as Entry;
    const moved = (bound: Entry) => (idOf(bound[to]) === from.id ? { ...bound, [to]: { id } } : bound);
    files.put({ ...file, attachment: (file.attachment as Entry[]).map(moved) });
  }
}
