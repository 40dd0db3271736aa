import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Feed, Note, Notes } from "gangway-messenger/port";
import * as z from "zod";
import { type BotApi, BotError } from "./api.ts";
import { businessTrouble } from "./business.ts";
import { arrivalOf, read } from "./reading/reading.ts";
import { ALLOWED_UPDATES, apiUrlOf, type BotCall, type Context } from "./wire.ts";

/** How long Telegram holds an empty poll open, s; and timeout of the call, ms. */
const HOLD_S = 25;
const CALL_MS = 40_000;
/** Shortest interval between empty polls, ms. */
const MIN_POLL_MS = 1_000;
/** Timeout of answerCallbackQuery, ms. */
const ANSWER_MS = 3_000;
/** Largest batch (Bot API). An update with a long text and a long quoted text, escaped, is about 100 KB. */
const MAX_UPDATES = 100;
const ANSWER_BYTES = 32 * 1024 * 1024;
/** After a week without updates Telegram may restart numbering at a lower id (Bot API, Update). */
const QUIET_MS = 6 * 24 * 3_600_000;

const CURSOR = "cursor";
/** Offset after the last stored update, when it was stored, and API URL: another server numbers differently. */
const position = z.object({ offset: z.int().min(0), since: z.number(), apiUrl: z.string() });
type Position = z.infer<typeof position>;

const numbered = z.looseObject({
  update_id: z
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER - 1),
});
type Numbered = z.infer<typeof numbered>;

/** Long polling. The next poll acknowledges the last batch, so it waits until that batch is stored. */
export function polling(context: Context, api: BotApi): Feed {
  const { clock } = context;
  return {
    async run(save, signal) {
      let current = await positionOf(context);
      let answered: Promise<unknown> = Promise.resolve();
      while (!signal.aborted) {
        const started = clock.monotonic();
        const answer = await getUpdates(api, current.offset, signal);
        const known = answer.flatMap((update) => numbered.safeParse(update).data ?? []);
        const batch = unseen(known, current, clock.now());
        const { answers, notes, events, unknown } = await readBatch(context, api, batch);
        if (batch.length > 0) {
          current = { ...current, offset: Math.max(...batch.map((each) => each.update_id)) + 1, since: clock.now() };
          notes.push({ key: CURSOR, value: JSON.stringify(current) });
        }
        const unreadable = known.length < answer.length ? "an update without a number" : unknown;
        const trouble = await businessTrouble(context.settings, withFresh(context, notes));
        await save({ events, notes, unknown: unreadable, trouble });
        await answered;
        answered = Promise.all(answers.map((each) => reply(api, each, signal)));
        if (batch.length === 0) await pause(clock, MIN_POLL_MS - (clock.monotonic() - started), signal);
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

/** Updates that are not stored yet. Accepts lower ids only if Telegram may have restarted numbering. */
function unseen(updates: Numbered[], { offset, since }: Position, now: number): Numbered[] {
  const later = updates.filter(({ update_id: id }) => id >= offset);
  return later.length === 0 && now - since > QUIET_MS ? updates : later;
}

async function readBatch(context: Context, api: BotApi, batch: Numbered[]) {
  const events: ChannelEvent[] = [];
  const notes: Note[] = [];
  const answers: BotCall[] = [];
  let unknown: string | undefined;
  for (const update of batch) {
    // With the notes of earlier updates in the batch, which later ones may need.
    const reading = await read({ ...context, notes: withFresh(context, notes) }, api, update);
    const arrival = reading && arrivalOf(reading);
    events.push(...(arrival?.events ?? []));
    notes.push(...(arrival?.notes ?? []));
    unknown ??= reading ? reading.unknown : "a body that is not an update";
    if (reading?.answer) answers.push(reading.answer);
  }
  return { events, notes, answers, unknown };
}

/** Notes, including those of this batch that are not stored yet. */
const withFresh = ({ notes }: Context, fresh: Note[]): Notes => ({
  ...notes,
  get: async (key) => fresh.findLast((note) => note.key === key)?.value ?? notes.get(key),
});

async function getUpdates(api: BotApi, offset: number, signal: AbortSignal) {
  const params = { offset, limit: MAX_UPDATES, timeout: HOLD_S, allowed_updates: ALLOWED_UPDATES };
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
    return await api.call(request, signal);
  } catch (error) {
    if (!(error instanceof BotError) || error.refusal.status !== 409) throw error;
    throw new DeliveryError({ type: "retry" }, CONFLICT);
  }
}

const CONFLICT =
  "another program receives this bot's messages, and Telegram delivers them only once. Stop that program, or create a new token with @BotFather";

async function reply(api: BotApi, { method, ...params }: BotCall, signal: AbortSignal): Promise<void> {
  const request = { method, params, result: z.unknown(), repeatable: true, timeoutMs: ANSWER_MS };
  // Too late after a while.
  await api.call(request, signal).catch(() => {});
}
