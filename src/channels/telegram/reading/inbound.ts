import type { ChannelEvent } from "../../../domain/message/message.ts";
import type { Note, Receipt } from "../../port.ts";
import { noUpdate, readWebhook } from "../../webhooks.ts";
import type { BotApi } from "../api.ts";
import { learnConnection } from "../business.ts";
import { parseChatRef } from "../ids.ts";
import type { Context } from "../server.ts";
import { botIdOf } from "../wire.ts";
import { readUpdate } from "./reading.ts";
import type { Reading } from "./reading-context.ts";

/** Holds the secret that setWebhook has set. */
export const SECRET_HEADER = "x-telegram-bot-api-secret-token";

/** Handles webhook calls. Anything that is not an update gets a 200 too: Telegram would repeat it for a day. */
export function receiving(context: Context, api: BotApi): (request: Request) => Promise<Receipt> {
  return async (request) => {
    const webhook = await readWebhook(request, { header: SECRET_HEADER, secret: context.settings.webhookSecret });
    if ("refusal" in webhook) return webhook.refusal;
    const reading = await read(context, api, webhook.body);
    if (!reading) return noUpdate();
    const { callbackId } = reading;
    // The response can carry a method call; this one stops the spinner on the pressed button.
    const reply = callbackId
      ? Response.json({ method: "answerCallbackQuery", callback_query_id: callbackId })
      : new Response(null);
    return { reply, ...arrivalOf(reading) };
  };
}

/** Reads one update. An update that crashes our code is skipped: repeated, it would block all that follow. */
export async function read(
  { settings, notes, clock, closed }: Context,
  api: BotApi,
  update: unknown,
): Promise<Reading | undefined> {
  try {
    const view = { botId: botIdOf(settings), settings, note: notes.get, now: clock.now() };
    const learned = settings.businessOwners.length > 0 ? await learnConnection(update, view, api, closed) : [];
    if (learned.length === 0) return await readUpdate(update, view);
    const note = async (key: string) => learned.find((each) => each.key === key)?.value ?? notes.get(key);
    const reading = await readUpdate(update, { ...view, note });
    return reading && { ...reading, notes: [...learned, ...reading.notes] };
  } catch (error) {
    // Only bugs: after a database error Telegram must send the update again.
    if (!(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError)) throw error;
    return { events: [], notes: [], unknown: `an update that breaks this version (${error.message})` };
  }
}

/** What to store of a reading. */
export function arrivalOf({ events, notes, unknown }: Reading): Omit<Receipt, "reply"> {
  return { events, notes: [...notes, ...events.flatMap(lastMessage)], unknown };
}

/** Remembers a group member's last message. An answer to them is sent as a reply to it, so the group sees whom it is for. */
function lastMessage(event: ChannelEvent): Note[] {
  if (event.type !== "message" || parseChatRef(event.chat).member === undefined) return [];
  return [{ key: `last:${event.chat}`, value: event.messengerMessageId }];
}
