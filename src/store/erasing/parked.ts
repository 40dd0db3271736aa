import { setImmediate } from "node:timers/promises";
import { PARKED } from "../tables/care/sealed.ts";
import { parkedRequest } from "../tables/channels/parked.ts";
import { all } from "../tables/engine.ts";
import type { Run } from "./batches.ts";
import { textOf } from "./webhooks.ts";

const REMOVE = `DELETE FROM ${PARKED.table} WHERE position = @position RETURNING position`;

/** Deletes parked parts of requests that name a person. A part goes whole, although it may be about others, too. */
export async function eraseParked(
  { erasingEngine, sealer, count }: Pick<Run, "erasingEngine" | "sealer" | "count">,
  where: string,
  values: Record<string, unknown>,
  named: (text: string) => boolean,
): Promise<void> {
  const { read, write } = erasingEngine.engine;
  const list = `SELECT position FROM ${PARKED.table} WHERE ${where}`;
  for (const { position } of await read(() => all<{ position: number }>(list, values))) {
    const request = await read(() => parkedRequest(sealer, position));
    if (request && named(textOf(request)))
      await write(function* () {
        yield* count({ webhooks: (yield* all(REMOVE, { position })).length });
      });
    await setImmediate();
  }
}
