import type { ChannelEvent } from "../../domain/message.ts";
import type { Note, Receipt } from "../port.ts";
import { noUpdate, readWebhook } from "../webhooks.ts";
import type { BotApi } from "./api.ts";
import { introduced } from "./business.ts";
import { parsePlace } from "./places.ts";
import { readUpdate } from "./reading.ts";
import type { Context } from "./server.ts";
import type { Reading } from "./where.ts";
import { botIdOf } from "./wire.ts";

/** The header by which Telegram proves itself. */
export const PROOF = "x-telegram-bot-api-secret-token";

/** Telegram's calls at the door. Whatever is no update is answered with 200: it would be repeated for a day otherwise. */
export function receiving(context: Context, api: BotApi): (request: Request) => Promise<Receipt> {
  return async (request) => {
    const webhook = await readWebhook(request, { header: PROOF, secret: context.settings.webhookSecret });
    if ("refusal" in webhook) return webhook.refusal;
    const reading = await read(context, api, webhook.body);
    if (!reading) return noUpdate();
    const { pressed } = reading;
    // The answer itself can carry a call: so the button on the phone stops turning.
    const reply = pressed
      ? Response.json({ method: "answerCallbackQuery", callback_query_id: pressed })
      : new Response(null);
    return { ...arrivalOf(reading), reply };
  };
}

/**
 * One update, read with what this channel remembers. One that breaks our own code is left aside: it would come again and
 * again, and all that the bot's other customers write would wait behind it.
 */
export async function read(
  { settings, notes, clock, closed }: Context,
  api: BotApi,
  update: unknown,
): Promise<Reading | undefined> {
  try {
    const view = { botId: botIdOf(settings), settings, note: notes.get, now: clock.now() };
    const learned = await introduced(update, view, api, closed);
    const note = async (key: string) => learned.find((each) => each.key === key)?.value ?? notes.get(key);
    const reading = await readUpdate(update, { ...view, note });
    return reading && { ...reading, notes: [...learned, ...reading.notes] };
  } catch (error) {
    // Only what the code itself throws: a database that fails is a reason to be asked again.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return { events: [], notes: [], unknown: `an update that breaks this version (${error.message})` };
  }
}

/** What has to be kept of a reading. */
export function arrivalOf({ events, notes, unknown }: Reading): Omit<Receipt, "reply"> {
  return { events, notes: [...notes, ...events.flatMap(lastWords)], unknown };
}

/** In a group an answer to one member is a reply to the last thing they said: else nobody knows whom it is for. */
function lastWords(event: ChannelEvent): Note[] {
  if (event.type !== "message" || parsePlace(event.chat).member === undefined) return [];
  return [{ key: `last:${event.chat}`, value: event.messengerMessageId }];
}
