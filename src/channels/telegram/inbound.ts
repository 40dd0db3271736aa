import { sameSecret } from "../../domain/ids.ts";
import type { ChannelEvent } from "../../domain/message.ts";
import { isOverNested } from "../../domain/nesting.ts";
import type { Note, Receipt } from "../port.ts";
import type { BotApi } from "./api.ts";
import { learnConnection } from "./business.ts";
import { parseChatRef } from "./ids.ts";
import { readUpdate } from "./reading.ts";
import type { Reading } from "./reading-context.ts";
import type { Context } from "./server.ts";
import { botIdOf } from "./wire.ts";

/** Holds the secret that setWebhook has set. */
export const SECRET_HEADER = "x-telegram-bot-api-secret-token";

const plain = (status: number) => new Response(null, { status });
const nothing = (status: number): Receipt => ({ events: [], reply: plain(status) });

/** Handles webhook calls. Anything that is not an update gets a 200 too: Telegram would repeat it for a day. */
export function receiving(context: Context, api: BotApi): (request: Request) => Promise<Receipt> {
  return async (request) => {
    if (!sameSecret(request.headers.get(SECRET_HEADER) ?? "", context.settings.webhookSecret)) return nothing(401);
    if (request.method !== "POST") return nothing(405);
    const text = await request.text();
    if (isOverNested(text)) return { ...nothing(400), unknown: "a body that is nested too deeply" };
    const reading = await readBody(context, api, text);
    if (!reading) return { ...nothing(200), unknown: "a body that is not an update" };
    const { callbackId } = reading;
    // The response can carry a method call; this one stops the spinner on the pressed button.
    const reply = callbackId
      ? Response.json({ method: "answerCallbackQuery", callback_query_id: callbackId })
      : plain(200);
    return { ...arrivalOf(reading), reply };
  };
}

async function readBody(context: Context, api: BotApi, text: string): Promise<Reading | undefined> {
  try {
    return await read(context, api, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Reads one update. An update that crashes our code is skipped: repeated, it would block all that follow. */
export async function read(
  { settings, notes, clock, closed }: Context,
  api: BotApi,
  update: unknown,
): Promise<Reading | undefined> {
  try {
    const view = { botId: botIdOf(settings), settings, note: notes.get, now: clock.now() };
    const learned = await learnConnection(update, view, api, closed);
    const note = async (key: string) => learned.find((each) => each.key === key)?.value ?? notes.get(key);
    const reading = await readUpdate(update, { ...view, note });
    return reading && { ...reading, notes: [...learned, ...reading.notes] };
  } catch (error) {
    // Only bugs: after a database error Telegram must send the update again.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
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
