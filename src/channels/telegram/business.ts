import { z } from "zod";
import { DeliveryError } from "../../domain/delivery.ts";
import type { MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent } from "../../domain/message.ts";
import type { Note, Notes } from "../port.ts";
import type { BotApi } from "./api.ts";
import { LINES } from "./lines.ts";
import { nameOf } from "./people.ts";
import { messageId, placeId } from "./places.ts";
import { type Album, albumNote, albumOf, digest, inOrder, remembered } from "./said.ts";
import { businessConnection, type Update } from "./update.ts";
import { nothing, ownerOf, type Reading, type View } from "./where.ts";
import type { Settings } from "./wire.ts";

type Connection = z.infer<typeof businessConnection>;

/** Whose a connection is. */
const ownerKey = (connection: string) => `owner:${connection}`;
/** Over which one an owner's customers are answered. */
const connectionKey = (owner: string) => `connection:${owner}`;
/** What is wrong with the connection of an owner, in words; "" when nothing is. */
const troubleKey = (owner: string) => `business:${owner}`;
/** Of a connection that Telegram does not know either: it is not asked about again. */
const NOBODY = "nobody";

export function readConnection(connection: Connection, { settings }: View): Reading {
  const { id, user, is_enabled: enabled } = connection;
  if (!settings.businessOwners.includes(user.id)) return nothing();
  return {
    events: [],
    notes: [
      { key: ownerKey(id), value: user.id },
      { key: connectionKey(user.id), value: id },
      {
        key: troubleKey(user.id),
        value: enabled === false ? disconnected(user) : mayReply(connection) ? "" : mute(user),
      },
    ],
  };
}

const about = z.looseObject({ business_connection_id: z.string() }).optional().catch(undefined);
const talk = z.object({ business_message: about, edited_business_message: about, deleted_business_messages: about });

/** How long Telegram's own answer, which waits for it, may take, ms. */
const LOOK_MS = 5_000;

/** A connection older than this channel, or than its owner in the settings, is asked about when it is first heard of. */
export async function introduced(
  body: unknown,
  view: View,
  api: Pick<BotApi, "ask">,
  signal: AbortSignal,
): Promise<Note[]> {
  if (view.settings.businessOwners.length === 0) return [];
  const [id] = Object.values(talk.safeParse(body).data ?? {}).flatMap((each) => each?.business_connection_id ?? []);
  if (id === undefined || (await isKnown(id, view))) return [];
  const params = { business_connection_id: id };
  const request = { method: "getBusinessConnection", params, result: businessConnection, repeatable: true };
  try {
    const found = await api.ask({ ...request, timeoutMs: LOOK_MS }, signal);
    const { notes } = readConnection(found, view);
    return notes.length > 0 ? notes : [{ key: ownerKey(id), value: found.user.id }];
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
    return [{ key: ownerKey(id), value: NOBODY }];
  }
}

async function isKnown(connection: string, { settings, note }: View): Promise<boolean> {
  const owner = await note(ownerKey(connection));
  if (!owner) return false;
  return !settings.businessOwners.includes(owner) || Boolean(await note(connectionKey(owner)));
}

/** Versions before 9.0 told one flag, later ones a list of rights in which what is not granted is left out. */
const mayReply = ({ rights, can_reply: flag }: Connection) => (rights ? rights.can_reply === true : flag !== false);

const disconnected = (user: Connection["user"]) => `the business account of ${nameOf(user)} has disconnected this bot`;
const mute = (user: Connection["user"]) => `the business account of ${nameOf(user)} does not let this bot reply`;

/** Of all owners: their chats cannot be answered. */
export async function businessTrouble(
  { businessOwners }: Pick<Settings, "businessOwners">,
  notes: Pick<Notes, "get">,
): Promise<string | undefined> {
  const found = await Promise.all(businessOwners.map((owner) => notes.get(troubleKey(owner))));
  const troubles = found.filter(Boolean);
  return troubles.length > 0
    ? `${troubles.join(", and ")}. It is set in Telegram, under Business, Chatbots`
    : undefined;
}

type Deleted = NonNullable<Update["deleted_business_messages"]>;

export async function readDeletions(deleted: Deleted, view: View): Promise<Reading> {
  const { business_connection_id: connection, chat, message_ids: numbers } = deleted;
  const owner = await ownerOf(connection, view);
  if (!owner) return nothing();
  const place = { chat: placeId({ chatId: chat.id, owner }), at: view.now };
  const events: ChannelEvent[] = [];
  const gone = (id: MessengerMessageId) => {
    events.push({ type: "deleted", key: `d:${id}`, ...place, messengerMessageId: id });
  };
  const albums = new Map<string, Album>();
  for (const number of numbers) {
    const id = messageId(chat.id, number, owner);
    const said = await remembered(id, view);
    if (said?.copy) gone(said.copy as MessengerMessageId);
    if (said?.album)
      albums.set(said.album, { ...(albums.get(said.album) ?? (await albumOf(said.album, view))), [number]: null });
    else gone(id);
  }
  for (const [key, parts] of albums) {
    const [first = "", ...others] = inOrder(parts);
    // The CRM has one message for all parts, by the name of the first: it goes when none is left.
    if ([first, ...others].every((number) => parts[number] === null)) gone(messageId(chat.id, first, owner));
    else events.push({ ...partGone(key, parts, view), ...place });
  }
  return { events, notes: [...albums].map(([key, parts]) => albumNote(key, parts)) };
}

function partGone(album: string, parts: Album, { settings }: View) {
  const left = inOrder(parts).filter((number) => parts[number] !== null);
  const id = `${album}:d${left.join("-")}`;
  const messengerMessageId = digest(id) as MessengerMessageId;
  return { type: "note" as const, key: id, messengerMessageId, text: LINES[settings.language].partDeleted };
}
