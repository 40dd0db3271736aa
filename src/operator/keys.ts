import { pause } from "../domain/clock.ts";
import { StoreError } from "../store/db.ts";
import type { RotationPlace } from "../store/rotation.ts";
import type { Answer, Command } from "./command.ts";

/** Between two batches the server's own writes get through, ms. */
export const REST_MS = 20;

export const rotate: Command = {
  words: "keys rotate",
  summary:
    "seals every secret with the first key of SECRET_KEYS again, beside the running server; may be cut and given again",
  options: {},
  run: (desk) =>
    desk.withStore(async ({ rotation }): Promise<Answer> => {
      const refusal = await rotation.refusal();
      if (refusal) throw new StoreError(refusal);
      const moved: Record<string, number> = {};
      for (let place: RotationPlace | undefined = { column: 0, after: -1 }; place; ) {
        const batch = await rotation.batch(place);
        for (const [key, count] of Object.entries(batch.moved)) moved[key] = (moved[key] ?? 0) + count;
        // Most steps of an ended rotation find nothing to do, and hold nobody up.
        if (Object.keys(batch.moved).length > 0) await pause(desk.clock, REST_MS);
        place = batch.next;
      }
      await rotation.finished(moved);
      const first = desk.config().keyRing.keys[0]?.id ?? "";
      const lines = Object.entries(moved).map(([key, count]) => `${count} values were sealed with "${key}"`);
      return {
        ok: true,
        json: { key: first, moved },
        text: [
          ...(lines.length > 0 ? lines : ["Nothing was sealed with another key."]),
          `Everything is sealed with "${first}" now: the other keys may be taken out of SECRET_KEYS. Backups made before still need them.`,
        ],
      };
    }),
};
