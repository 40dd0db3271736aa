import { DeliveryError } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Note, Notes } from "gangway-messenger/port";
import * as z from "zod";
import type { BotApi } from "./api.ts";
import { ownersOf } from "./owners.ts";
import {
  type Album,
  albumNote,
  albumOf,
  digest,
  inOrder,
  nameOf,
  nothing,
  ownerOf,
  type Reading,
  type ReadingContext,
  snapshotOf,
} from "./reading/reading-context.ts";
import { businessConnection, LINES, type Update } from "./reading/update.ts";
import { formatChatRef, isForBusiness, messageId, type Settings } from "./wire.ts";

type Connection = z.infer<typeof businessConnection>;

const ownerKey = (connection: string) => `owner:${connection}`;
/** A connection through which an owner's customers are answered. */
const connectionKey = (owner: string) => `connection:${owner}`;
/** Problem with an owner's connection, as text; empty if none. */
const troubleKey = (owner: string) => `business:${owner}`;
/** Owner of a connection that Telegram does not know either, so that it is not looked up again. */
const NO_OWNER = "nobody";

export async function readConnection(connection: Connection, { settings, note }: ReadingContext): Promise<Reading> {
  const { id, user, is_enabled: enabled } = connection;
  if (!(await ownersOf(settings, note)).includes(user.id)) return nothing();
  return {
    events: [],
    notes: [
      { key: ownerKey(id), value: user.id },
      { key: connectionKey(user.id), value: id },
      {
        key: troubleKey(user.id),
        value: enabled === false ? disconnected(user) : mayReply(connection) ? "" : mayNotReply(user),
      },
    ],
  };
}

const withConnection = z.looseObject({ business_connection_id: z.string() }).optional().catch(undefined);
const businessUpdate = z.object({
  business_message: withConnection,
  edited_business_message: withConnection,
  deleted_business_messages: withConnection,
});

/** Timeout of the lookup, ms; the webhook call waits for it. */
const LOOKUP_MS = 5_000;

/**
 * Looks up an unknown connection when its first message arrives: it is older than this channel, or than its owner's entry in
 * the settings. Resolves with the notes to store.
 */
export async function learnConnection(
  body: unknown,
  view: ReadingContext,
  api: Pick<BotApi, "call">,
  signal: AbortSignal,
): Promise<Note[]> {
  const [id] = Object.values(businessUpdate.safeParse(body).data ?? {}).flatMap(
    (each) => each?.business_connection_id ?? [],
  );
  if (id === undefined || (await isKnown(id, view))) return [];
  const params = { business_connection_id: id };
  const request = { method: "getBusinessConnection", params, result: businessConnection, repeatable: true };
  try {
    const found = await api.call({ ...request, timeoutMs: LOOKUP_MS }, signal);
    const { notes } = await readConnection(found, view);
    return notes.length > 0 ? notes : [{ key: ownerKey(id), value: found.user.id }];
  } catch (error) {
    if (!(error instanceof DeliveryError) || error.verdict.type !== "reject") throw error;
    return [{ key: ownerKey(id), value: NO_OWNER }];
  }
}

async function isKnown(connection: string, { settings, note }: ReadingContext): Promise<boolean> {
  const owner = await note(ownerKey(connection));
  if (!owner) return false;
  return !(await ownersOf(settings, note)).includes(owner) || Boolean(await note(connectionKey(owner)));
}

/** A flag before Bot API 9.0, a list of the granted rights since. */
const mayReply = ({ rights, can_reply: flag }: Connection) => (rights ? rights.can_reply === true : flag !== false);

const disconnected = (user: Connection["user"]) => `the business account of ${nameOf(user)} has disconnected this bot`;
const mayNotReply = (user: Connection["user"]) => `the business account of ${nameOf(user)} does not let this bot reply`;

/** What an owner still has to do before business chats arrive. */
export async function businessUnfinished(
  settings: Pick<Settings, "servesBusiness" | "businessOwners">,
  notes: Pick<Notes, "get">,
): Promise<string | undefined> {
  if (!isForBusiness(settings)) return undefined;
  const owners = await ownersOf(settings, notes.get);
  if (owners.length === 0) return NOBODY_SAID;
  const connections = await Promise.all(owners.map((owner) => notes.get(connectionKey(owner))));
  return connections.some(Boolean) ? undefined : NOT_ADDED;
}

const NOBODY_SAID =
  "no Telegram account is connected to this bot yet. Do the first step of the Set-up tab in the account whose chats agents will answer";
const NOT_ADDED =
  "nothing has come from the Telegram account yet. In that account open Settings, Telegram Business, Chatbots, enter the bot's name unless it is there, and allow it to reply; then ask somebody to write to the account";

/** The problems of all owners in one text; undefined if there are none. */
export async function businessTrouble(
  settings: Pick<Settings, "servesBusiness" | "businessOwners">,
  notes: Pick<Notes, "get">,
): Promise<string | undefined> {
  const owners = await ownersOf(settings, notes.get);
  const found = await Promise.all(owners.map((owner) => notes.get(troubleKey(owner))));
  const troubles = found.filter(Boolean);
  return troubles.length > 0
    ? `${troubles.join(", and ")}. Change it in Telegram, under Business, Chatbots`
    : undefined;
}

type Deleted = NonNullable<Update["deleted_business_messages"]>;

export async function readDeletions(deleted: Deleted, view: ReadingContext): Promise<Reading> {
  const { business_connection_id: connection, chat, message_ids: numbers } = deleted;
  const owner = await ownerOf(connection, view);
  if (!owner) return nothing();
  const common = { chat: formatChatRef({ chatId: chat.id, owner }), at: view.now };
  const events: ChannelEvent[] = [];
  const reportDeleted = (id: MessengerMessageId) => {
    events.push({ type: "deleted", key: `d:${id}`, ...common, messengerMessageId: id });
  };
  const albums = new Map<string, Album>();
  for (const number of numbers) {
    const id = messageId(chat.id, number, owner);
    const known = await snapshotOf(id, view);
    if (known?.copy) reportDeleted(known.copy as MessengerMessageId);
    if (known?.album)
      albums.set(known.album, { ...(albums.get(known.album) ?? (await albumOf(known.album, view))), [number]: null });
    else reportDeleted(id);
  }
  for (const [key, parts] of albums) {
    const [first = "", ...others] = inOrder(parts);
    // The CRM has one message per album, under the id of its first part. Delete it together with the last part.
    if ([first, ...others].every((number) => parts[number] === null)) reportDeleted(messageId(chat.id, first, owner));
    else events.push({ ...partDeletedNote(key, parts, view), ...common });
  }
  return { events, notes: [...albums].map(([key, parts]) => albumNote(key, parts)) };
}

function partDeletedNote(album: string, parts: Album, { settings }: ReadingContext) {
  const left = inOrder(parts).filter((number) => parts[number] !== null);
  const id = `${album}:d${left.join("-")}`;
  const messengerMessageId = digest(id) as MessengerMessageId;
  return { type: "note" as const, key: id, messengerMessageId, text: LINES[settings.language].partDeleted };
}
