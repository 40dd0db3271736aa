import { pause } from "../domain/clock.ts";
import type { Rotation, RotationCursor, UnopenedValue } from "../store/care.ts";
import { StoreError } from "../store/store.ts";
import type { Answer, Command, Desk } from "./command.ts";

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
      const { moved, unopened } = await goThrough(desk, rotation);
      await rotation.finished(moved, unopened.length);
      const [first = "", ...others] = desk.config().keyRing.keys.map(({ id }) => id);
      const lines = Object.entries(moved).map(
        ([key, count]) => `${count} ${count === 1 ? "value was" : "values were"} sealed with "${key}"`,
      );
      return {
        ok: unopened.length === 0,
        json: { key: first, moved, unopened: unopened.map((value) => ({ ...value, todo: todoOf(value) })) },
        text: [
          ...(lines.length > 0 ? lines : ["Nothing was sealed with another key."]),
          ...leftOver(unopened),
          `${unopened.length > 0 ? "All else" : "Everything"} is sealed with "${first}" now: the other keys may be taken out of SECRET_KEYS. Backups made before still need them.`,
          ...wrongKeys(unopened, others),
        ],
      };
    }),
};

async function goThrough({ clock }: Desk, rotation: Rotation) {
  const moved: Record<string, number> = {};
  const unopened: UnopenedValue[] = [];
  for (let cursor: RotationCursor | undefined = { column: 0, after: -1 }; cursor; ) {
    const batch = await rotation.batch(cursor);
    for (const [key, count] of Object.entries(batch.moved)) moved[key] = (moved[key] ?? 0) + count;
    unopened.push(...batch.unopened);
    // Most steps of an ended rotation find nothing to do, and hold nobody up.
    if (Object.keys(batch.moved).length > 0) await pause(clock, REST_MS);
    cursor = batch.next;
  }
  return { moved, unopened };
}

const todoOf = ({ table }: UnopenedValue): string => {
  if (table === "account")
    return "connect this account again, with the same CRM address (gangway accounts list has it)";
  if (table === "channel") return "remove this messenger on its account page, and add it again";
  return "lost for gangway replay only; nothing else needs it";
};

const leftOver = (unopened: UnopenedValue[]): string[] =>
  unopened.length === 0
    ? []
    : [
        `${unopened.length} ${unopened.length === 1 ? "value does not open and was left as it is" : "values do not open and were left as they are"}:`,
        ...unopened.flatMap((value) => [`  ${value.table} ${value.row}: ${value.reason}`, `        ${todoOf(value)}`]),
      ];

/** A right key that opens nothing more may go; a wrong one under its name hides that the values could be opened. */
function wrongKeys(unopened: UnopenedValue[], others: string[]): string[] {
  const named = others.filter((id) => unopened.some(({ key }) => key === id));
  if (named.length === 0) return [];
  const names = named.map((id) => `"${id}"`).join(", ");
  return [
    `What does not open names ${names}: make sure that SECRET_KEYS has the right key under that name. If it had not, mend it and rotate again.`,
  ];
}
