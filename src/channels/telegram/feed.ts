import { z } from "zod";
import { DeliveryError } from "../../domain/delivery.ts";
import type { ChannelEvent } from "../../domain/message.ts";
import type { ChannelContext, Feed, Note } from "../port.ts";
import type { BotApi } from "./api.ts";
import { arrivalOf, read } from "./inbound.ts";
import { BotError } from "./verdict.ts";
import { ALLOWED_UPDATES, type Settings } from "./wire.ts";

/** How long Telegram holds a question that has no answer yet, s; and how long the call may take, ms. */
const HOLD_S = 25;
const CALL_MS = 40_000;
/** Most updates at once (Bot API); of each a long text with the one it answers, all escaped, is some 100 KB. */
const MOST_UPDATES = 100;
const ANSWER_BYTES = 32 * 1024 * 1024;
/** The position after the last update that is kept. */
const CURSOR = "cursor";

const updates = z.array(z.looseObject({ update_id: z.number() }));

/** Asks for updates one batch after another; the next question, which forgets the last batch there, comes after it is kept here. */
export function polling(context: ChannelContext<Settings>, api: BotApi): Feed {
  return {
    async run(save, signal) {
      let offset = Number((await context.notes.get(CURSOR)) ?? 0);
      while (!signal.aborted) {
        const batch = await ask(api, offset, signal);
        const events: ChannelEvent[] = [];
        const notes: Note[] = [];
        const pressed: string[] = [];
        let unknown: string | undefined;
        for (const update of batch) {
          // Kept one by one, since a later update may need what an earlier one tells.
          const reading = await read(
            { ...context, notes: { ...context.notes, get: remembering(context, notes) } },
            update,
          );
          const arrival = reading && arrivalOf(reading);
          events.push(...(arrival?.events ?? []));
          notes.push(...(arrival?.notes ?? []));
          unknown ??= reading ? reading.unknown : "a body that is no update";
          if (reading?.pressed) pressed.push(reading.pressed);
          offset = update.update_id + 1;
        }
        if (batch.length > 0) notes.push({ key: CURSOR, value: String(offset) });
        await save({ events, notes, unknown });
        for (const id of pressed) await answer(api, id, signal);
      }
    },
  };
}

/** What this batch has told already counts, although it is not kept yet. */
const remembering =
  ({ notes }: ChannelContext<Settings>, fresh: Note[]) =>
  async (key: string) =>
    fresh.findLast((note) => note.key === key)?.value ?? notes.get(key);

async function ask(api: BotApi, offset: number, signal: AbortSignal) {
  const params = { offset, limit: MOST_UPDATES, timeout: HOLD_S, allowed_updates: ALLOWED_UPDATES };
  const request = {
    method: "getUpdates",
    params,
    result: updates,
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

async function answer(api: BotApi, id: string, signal: AbortSignal): Promise<void> {
  const request = {
    method: "answerCallbackQuery",
    params: { callback_query_id: id },
    result: z.unknown(),
    repeatable: true,
  };
  // Only stops the button on the phone from turning; it is too late for it after a while.
  await api.ask(request, signal).catch(() => {});
}
