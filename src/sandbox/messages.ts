import { Refusal } from "./refusal.ts";
import {
  announces,
  type Chat,
  findMessage,
  type Message,
  messageById,
  type SandboxChannel,
  type World,
} from "./world.ts";

// What the module does to messages. Each refuses what the channel's announced settings forbid.

interface Ref {
  id?: number;
  external_id?: string;
}
export interface RefBody {
  message: Ref;
}
export type EditBody = Ref & { text: string };
interface PostBody {
  external_chat_id?: string;
  customer?: { external_id: string; nickname: string; first_name?: string; last_name?: string } | null;
  message: {
    external_id?: string | null;
    type: string;
    text?: string;
    note?: string;
    items?: { id: string }[] | null;
    page_link?: string;
  };
  quote?: Ref | null;
}
interface AckBody {
  message?: Ref;
  transport_message_id?: string | null;
  external_message_id?: string;
  error?: { code: string; message: string } | null;
}

export function post(world: World, channel: SandboxChannel, body: PostBody, now: number): Message {
  const { message } = body;
  if (!announces(channel, message.type, "creating", "send"))
    throw new Refusal(400, `Channel does not accept messages of type ${message.type}`);
  const externalId = message.external_id ?? undefined;
  if (externalId && findMessage(world, channel.id, { external_id: externalId }))
    throw new Refusal(400, "Message with passed external_id already exists");
  checkLengths(channel, message.type, message);
  for (const { id } of message.items ?? []) if (!world.files.has(id)) throw new Refusal(400, `File ${id} not found`);
  const quoted = body.quote ? findMessage(world, channel.id, body.quote) : undefined;
  if (body.quote && !quoted) throw new Refusal(400, "Quoted message not found");
  const chat = chatFor(world, channel, body);
  return add(world, {
    chatId: chat.id,
    channelId: channel.id,
    from: "customer",
    externalId,
    type: message.type,
    text: message.text ?? message.note ?? "",
    files: (message.items ?? []).map(({ id }) => id),
    quoteId: quoted?.id,
    suggestions: [],
    status: "received",
    edited: false,
    deleted: false,
    pageLink: message.page_link,
    time: new Date(now).toISOString(),
    id: world.nextId(),
  });
}

export function add(world: World, message: Message): Message {
  world.messages.push(message);
  world.version += 1;
  return message;
}

function checkLengths(channel: SandboxChannel, type: string, message: PostBody["message"]): void {
  const most = channel.settings.text?.max_chars_count;
  if (type === "text" && !message.text?.trim()) throw new Refusal(400, "Message text is empty");
  if (type === "text" && most && [...(message.text ?? "")].length > most)
    throw new Refusal(400, `Text is longer than ${most}`);
  const mostFiles =
    type === "image" || type === "file" || type === "audio" ? channel.settings[type]?.max_items_count : undefined;
  const files = message.items?.length ?? 0;
  if (mostFiles !== undefined && (files === 0 || files > mostFiles))
    throw new Refusal(400, `Message must have 1 to ${mostFiles} items`);
}

function chatFor(world: World, channel: SandboxChannel, { customer, external_chat_id }: PostBody): Chat {
  const externalId = external_chat_id || customer?.external_id;
  if (!externalId) throw new Refusal(400, "Customer is required");
  const known = [...world.chats.values()].find(
    (chat) => chat.channelId === channel.id && chat.externalId === externalId,
  );
  if (known) return known;
  const name =
    customer?.nickname || [customer?.first_name, customer?.last_name].filter(Boolean).join(" ") || externalId;
  const chat = {
    id: world.nextId(),
    channelId: channel.id,
    externalId,
    customer: { externalId: customer?.external_id ?? externalId, name },
  };
  world.chats.set(chat.id, chat);
  return chat;
}

function must(world: World, channel: SandboxChannel, ref: Ref | undefined): Message {
  const found = findMessage(world, channel.id, ref);
  if (!found) throw new Refusal(400, "Message not found");
  return found;
}

export function edit(world: World, channel: SandboxChannel, body: EditBody): void {
  const message = must(world, channel, body);
  if (!announces(channel, message.type, "editing", "send")) throw new Refusal(400, "Channel does not edit messages");
  Object.assign(message, { text: body.text, edited: true });
  world.version += 1;
}

export function remove(world: World, channel: SandboxChannel, ref: Ref): Message {
  const message = must(world, channel, ref);
  if (!announces(channel, message.type, "deleting", "send")) throw new Refusal(400, "Channel does not delete messages");
  message.deleted = true;
  world.version += 1;
  return message;
}

/** A repeated ack changes nothing; a late success mends an earlier failure. */
export function ack(world: World, channel: SandboxChannel, body: AckBody): void {
  const message = must(world, channel, body.message);
  if (message.from !== "user") throw new Refusal(400, "Message not found");
  const externalId = body.transport_message_id ?? body.external_message_id;
  if (externalId) message.externalId = externalId;
  if (body.error) Object.assign(message, { status: "failed", error: body.error });
  else if (message.status !== "seen") Object.assign(message, { status: "received", error: undefined });
  world.version += 1;
}

export function markSeen(world: World, channel: SandboxChannel, ref: Ref): void {
  const message = must(world, channel, ref);
  const read = channel.settings.status?.read;
  if (read !== "both" && read !== "send") throw new Refusal(400, "Channel does not report reading");
  message.status = "seen";
  world.version += 1;
}

export function react(world: World, channel: SandboxChannel, ref: Ref, reaction: string | undefined): void {
  const message = must(world, channel, ref);
  if (!announces(channel, message.type, "reaction", "send")) throw new Refusal(400, "Channel has no reactions");
  message.reaction = reaction;
  world.version += 1;
}

/** A message as the contract shows it. */
export function toWire(message: Message, world: World) {
  const quote = message.quoteId === undefined ? undefined : messageById(world, message.quoteId);
  return {
    id: message.id,
    time: message.time,
    type: message.type,
    scope: "public",
    chat_id: message.chatId,
    is_read: message.status === "seen",
    is_edit: message.edited,
    status: message.status,
    action: null,
    content: message.text,
    ...(quote && { quote: { id: quote.id, content: quote.text, time: quote.time } }),
    ...(message.error && { error: message.error }),
  };
}
