import { z } from "zod";
import { pause } from "../../domain/clock.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import type { ChannelEvent } from "../../domain/message.ts";
import type { Feed, Note, Notes } from "../port.ts";
import type { BotApi } from "./api.ts";
import { businessTrouble } from "./business.ts";
import { arrivalOf, read } from "./inbound.ts";
import { apiUrlOf, type Context } from "./server.ts";
import { BotError } from "./verdict.ts";
import { ALLOWED_UPDATES } from "./wire.ts";

/** How long Telegram holds a question that has no answer yet, s; and how long the call may take, ms. */
const HOLD_S = 25;
const CALL_MS = 40_000;
/** Questions that bring nothing new come no faster than this, ms. */
const SHORTEST_MS = 1_000;
/** How long a phone's button may wait for its word, ms. */
const ANSWER_MS = 3_000;
/** Most updates at once (Bot API); of each a long text with the one it answers, all escaped, is some 100 KB. */
const MOST_UPDATES = 100;
const ANSWER_BYTES = 32 * 1024 * 1024;
/** Telegram numbers updates anew, lower perhaps, after a week without any (Bot API, Update). */
const QUIET_MS = 6 * 24 * 3_600_000;

const CURSOR = "cursor";
/** The position after the last update that is kept, since when, and of which API: each numbers by itself. */
const position = z.object({ offset: z.int().min(0), since: z.number(), apiUrl: z.string() });
type Position = z.infer<typeof position>;

const numbered = z.looseObject({
  update_id: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER - 1),
});
type Numbered = z.infer<typeof numbered>;

/** Asks for updates one batch after another; the next question, which forgets the last batch there, comes after it is kept here. */
export function polling(context: Context, api: BotApi): Feed {
  const { clock } = context;
  return {
    async run(save, signal) {
      let here = await positionOf(context);
      let answered: Promise<unknown> = Promise.resolve();
      while (!signal.aborted) {
        const asked = clock.monotonic();
        const answer = await ask(api, here.offset, signal);
        const known = answer.flatMap((update) => numbered.safeParse(update).data ?? []);
        const batch = newOf(known, here, clock.now());
        const { pressed, notes, events, unknown } = await readBatch(context, api, batch);
        if (batch.length > 0) {
          here = { ...here, offset: Math.max(...batch.map((each) => each.update_id)) + 1, since: clock.now() };
          notes.push({ key: CURSOR, value: JSON.stringify(here) });
        }
        const odd = known.length < answer.length ? "an update without a number" : unknown;
        const trouble = await businessTrouble(context.settings, remembered(context, notes));
        await save({ events, notes, unknown: odd, trouble });
        await answered;
        answered = Promise.all(pressed.map((id) => confirm(api, id, signal)));
        if (batch.length === 0) await pause(clock, SHORTEST_MS - (clock.monotonic() - asked), signal);
      }
      await answered;
    },
  };
}

async function positionOf({ notes, server }: Context): Promise<Position> {
  const apiUrl = apiUrlOf({ server });
  const known = position.safeParse(JSON.parse((await notes.get(CURSOR)) ?? "null")).data;
  return known?.apiUrl === apiUrl ? known : { offset: 0, since: 0, apiUrl };
}

/** Those that were not there before: the position goes back only where Telegram itself may have begun anew. */
function newOf(updates: Numbered[], { offset, since }: Position, now: number): Numbered[] {
  const later = updates.filter(({ update_id: id }) => id >= offset);
  return later.length === 0 && now - since > QUIET_MS ? updates : later;
}

async function readBatch(context: Context, api: BotApi, batch: Numbered[]) {
  const events: ChannelEvent[] = [];
  const notes: Note[] = [];
  const pressed: string[] = [];
  let unknown: string | undefined;
  for (const update of batch) {
    // Kept one by one, since a later update may need what an earlier one tells.
    const reading = await read({ ...context, notes: remembered(context, notes) }, api, update);
    const arrival = reading && arrivalOf(reading);
    events.push(...(arrival?.events ?? []));
    notes.push(...(arrival?.notes ?? []));
    unknown ??= reading ? reading.unknown : "a body that is no update";
    if (reading?.pressed) pressed.push(reading.pressed);
  }
  return { events, notes, pressed, unknown };
}

/** What this batch has told already counts, although it is not kept yet. */
const remembered = ({ notes }: Context, fresh: Note[]): Notes => ({
  ...notes,
  get: async (key) => fresh.findLast((note) => note.key === key)?.value ?? notes.get(key),
});

async function ask(api: BotApi, offset: number, signal: AbortSignal) {
  const params = { offset, limit: MOST_UPDATES, timeout: HOLD_S, allowed_updates: ALLOWED_UPDATES };
  const request = {
    method: "getUpdates",
    params,
    result: z.array(z.unknown()),
    repeatable: true,
    timeoutMs: CALL_MS,
    waiting: true,
    maxBytes: ANSWER_BYTES,
  };
  try {
    return await api.ask(request, signal);
  } catch (error) {
    if (!(error instanceof BotError) || error.refusal.status !== 409) throw error;
    throw new DeliveryError({ type: "retry" }, CONFLICT);
  }
}

/** Told to people: Telegram gives a bot's updates to one place only. */
const CONFLICT =
  "another program takes this bot's messages: Telegram gives them to one place only. Stop the other one, or make a new token with BotFather";

async function confirm(api: BotApi, id: string, signal: AbortSignal): Promise<void> {
  const request = {
    method: "answerCallbackQuery",
    params: { callback_query_id: id },
    result: z.unknown(),
    repeatable: true,
    timeoutMs: ANSWER_MS,
  };
  // Only stops the button on the phone from turning; it is too late for it after a while.
  await api.ask(request, signal).catch(() => {});
}
