import type { MessengerMessageId } from "../../domain/ids.ts";
import type { ChannelEvent } from "../../domain/message.ts";
import type { Notes } from "../port.ts";
import { LINES } from "./lines.ts";
import { nameOf } from "./people.ts";
import { messageId, placeId } from "./places.ts";
import { type Album, albumNote, albumOf, digest, inOrder, remembered } from "./said.ts";
import type { Update } from "./update.ts";
import { nothing, ownerOf, type Reading, type View } from "./where.ts";
import type { Settings } from "./wire.ts";

type Connection = NonNullable<Update["business_connection"]>;

/** What is wrong with the connection of an owner, in words; "" when nothing is. */
const troubleKey = (owner: string) => `business:${owner}`;

export function readConnection(connection: Connection, { settings }: View): Reading {
  const { id, user, is_enabled: enabled } = connection;
  if (!settings.businessOwners.includes(user.id)) return nothing();
  return {
    events: [],
    notes: [
      { key: `owner:${id}`, value: user.id },
      { key: `connection:${user.id}`, value: id },
      {
        key: troubleKey(user.id),
        value: enabled === false ? disconnected(user) : mayReply(connection) ? "" : mute(user),
      },
    ],
  };
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
