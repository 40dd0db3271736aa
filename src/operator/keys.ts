import { pause } from "gangway-messenger/clock";
import type { Rotation, RotationCursor, UnopenedValue } from "../store/care.ts";
import { StoreError } from "../store/store.ts";
import type { Answer, Command, CommandContext } from "./command.ts";

/** Pause between batches for the server's own writes, ms. */
export const PAUSE_MS = 20;

export const rotate: Command = {
  words: "keys rotate",
  summary:
    "reseal every secret with the first key of SECRET_KEYS; the server may run, and an interrupted rotation can be repeated",
  options: {},
  run: (context) =>
    context.withStore(async ({ rotation }): Promise<Answer> => {
      const refusal = await rotation.refusal();
      if (refusal) throw new StoreError(refusal);
      const { moved, unopened } = await rotateAll(context, rotation);
      await rotation.finished(moved, unopened.length);
      const [first = "", ...others] = context.config().keyRing.keys.map(({ id }) => id);
      const lines = Object.entries(moved).map(
        ([key, count]) => `${count} ${count === 1 ? "value was" : "values were"} sealed with "${key}"`,
      );
      return {
        ok: unopened.length === 0,
        json: { key: first, moved, unopened: unopened.map((value) => ({ ...value, todo: todoOf(value) })) },
        text: [
          ...(lines.length > 0 ? lines : ["Nothing was sealed with another key."]),
          ...unopenedLines(unopened),
          `${unopened.length > 0 ? "All other values are" : "Everything is"} sealed with "${first}" now: you can remove the other keys from SECRET_KEYS. Older backups still need them.`,
          ...keyHints(unopened, others),
        ],
      };
    }),
};

async function rotateAll({ clock }: CommandContext, rotation: Rotation) {
  const moved: Record<string, number> = {};
  const unopened: UnopenedValue[] = [];
  for (let cursor: RotationCursor | undefined = { column: 0, after: -1 }; cursor; ) {
    const batch = await rotation.batch(cursor);
    for (const [key, count] of Object.entries(batch.moved)) moved[key] = (moved[key] ?? 0) + count;
    unopened.push(...batch.unopened);
    // Do not pause after a batch that changed nothing.
    if (Object.keys(batch.moved).length > 0) await pause(clock, PAUSE_MS);
    cursor = batch.next;
  }
  return { moved, unopened };
}

const todoOf = ({ table }: UnopenedValue): string => {
  if (table === "account") return "reconnect this account with the same CRM address (see gangway accounts list)";
  if (table === "channel") return "remove this messenger on its account page, and add it again";
  return "only gangway replay would need it; nothing to do";
};

const unopenedLines = (unopened: UnopenedValue[]): string[] =>
  unopened.length === 0
    ? []
    : [
        `${unopened.length} ${unopened.length === 1 ? "value cannot be opened and was left unchanged" : "values cannot be opened and were left unchanged"}:`,
        ...unopened.flatMap((value) => [`  ${value.table} ${value.row}: ${value.reason}`, `        ${todoOf(value)}`]),
      ];

/** Warns that a wrong key under the right name makes values look lost although they could be opened. */
function keyHints(unopened: UnopenedValue[], others: string[]): string[] {
  const named = others.filter((id) => unopened.some(({ key }) => key === id));
  if (named.length === 0) return [];
  const names = named.map((id) => `"${id}"`).join(", ");
  return [
    `Values that cannot be opened name the key ${names}: make sure that SECRET_KEYS has the right key under that name. If not, correct it and rotate again.`,
  ];
}
