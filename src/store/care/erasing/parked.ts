import { setImmediate } from "node:timers/promises";
import { runNow } from "../../sqlite/tables/engine.ts";
import { parkedRequest } from "../../tables/parked.ts";
import { PARKED } from "../../tables/sealed.ts";
import type { Run } from "./batches.ts";
import { textOf } from "./webhooks.ts";

const REMOVE = `DELETE FROM ${PARKED.table} WHERE position = ?`;

/** Deletes parked parts of requests that name a person. A part goes whole, although it may be about others, too. */
export async function eraseParked(
  { db, sealer, count }: Pick<Run, "db" | "sealer" | "count">,
  where: string,
  values: object,
  named: (text: string) => boolean,
): Promise<void> {
  const all = db.sqlite.prepare<[object], number>(`SELECT position FROM ${PARKED.table} WHERE ${where}`).pluck();
  for (const position of all.all(values)) {
    const request = runNow(db, parkedRequest(sealer, position));
    if (request && named(textOf(request)))
      await db.write(() => count({ webhooks: db.prepared(REMOVE).run(position).changes }));
    await setImmediate();
  }
}
