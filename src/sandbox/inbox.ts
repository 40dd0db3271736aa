import { type Context, Hono } from "hono";
import type { Courier } from "./courier.ts";
import type { Env } from "./exchange.ts";
import { fileUrl, keepUpload } from "./files.ts";
import { add } from "./messages.ts";
import { Refusal } from "./refusal.ts";
import { announces, type Chat, type Message, messageById, type SandboxChannel, type World } from "./world.ts";

interface Parts {
  world: World;
  courier: Courier;
  now(): number;
  origin(): string;
}
interface SendBody {
  text?: string;
  files?: string[];
  quote?: number;
  suggestions?: { type: string; title: string; payload?: string }[];
}

const AGENT = { id: 1, first_name: "Alex", last_name: "Agent", avatar: "" };

/** What an agent does, as JSON under `/inbox/api`. */
export function inboxApi(parts: Parts): Hono<Env> {
  const { world, courier } = parts;
  const site = new Hono<Env>();
  site.onError((error, c) => {
    if (error instanceof Refusal) return c.json({ error: error.message }, error.status);
    throw error;
  });
  const chatOf = (c: Context<Env>): { chat: Chat; channel: SandboxChannel } => {
    const chat = world.chats.get(Number(c.req.param("id")));
    const channel = chat && world.channels.get(chat.channelId);
    if (!chat || !channel) throw new Refusal(404, "No such chat");
    return { chat, channel };
  };
  const messageOf = (c: Context<Env>) => {
    const message = messageById(world, Number(c.req.param("id")));
    const channel = message && world.channels.get(message.channelId);
    const chat = message && world.chats.get(message.chatId);
    if (!message || !channel || !chat || message.from !== "user") throw new Refusal(404, "No such message");
    return { message, channel, chat };
  };

  site.get("/chats", (c) => {
    if (Number(c.req.query("since")) === world.version) return c.body(null, 204);
    return c.json({ version: world.version, chats: chatList(world) });
  });
  site.get("/chats/:id", (c) => {
    const { chat, channel } = chatOf(c);
    const list = world.messages.filter((message) => message.chatId === chat.id);
    return c.json({
      chat,
      channel: { name: channel.name, settings: channel.settings },
      messages: list.map((m) => shown(parts, channel, m)),
    });
  });
  site.post("/chats/:id/messages", async (c) => {
    const { chat, channel } = chatOf(c);
    return c.json({ id: say(parts, chat, channel, await c.req.json<SendBody>()).id });
  });
  site.post("/chats/:id/read", (c) => {
    const { chat, channel } = chatOf(c);
    const unread = world.messages.filter((m) => m.chatId === chat.id && m.from === "customer" && m.status !== "seen");
    for (const message of unread) {
      message.status = "seen";
      if (message.externalId) courier.send(channel, "message_read", targetOf(channel, chat, message));
    }
    if (unread.length > 0) world.version += 1;
    return c.json({ read: unread.length });
  });
  site.put("/messages/:id", async (c) => {
    const { message, channel, chat } = messageOf(c);
    const { text } = await c.req.json<{ text: string }>();
    if (!text?.trim()) throw new Refusal(400, "The text is empty");
    if (!message.externalId || !announces(channel, message.type, "editing", "receive"))
      throw new Refusal(400, "This message cannot be edited");
    Object.assign(message, { text, edited: true });
    world.version += 1;
    courier.send(channel, "message_updated", {
      ...targetOf(channel, chat, message),
      content: text,
      type: message.type,
    });
    return c.json({});
  });
  site.delete("/messages/:id", (c) => {
    const { message, channel, chat } = messageOf(c);
    if (!message.externalId || !announces(channel, message.type, "deleting", "receive"))
      throw new Refusal(400, "This message cannot be deleted");
    message.deleted = true;
    world.version += 1;
    courier.send(channel, "message_deleted", targetOf(channel, chat, message));
    return c.json({});
  });
  site.post("/files", async (c) => {
    const { id, name, mediaType, bytes } = await keepUpload(world, c);
    return c.json({ id, name, mediaType, size: bytes.byteLength });
  });
  return site;
}

function chatList(world: World) {
  return [...world.chats.values()]
    .map((chat) => {
      const own = world.messages.filter((message) => message.chatId === chat.id);
      const last = own.at(-1);
      const unread = own.filter((message) => message.from === "customer" && message.status !== "seen").length;
      const channel = world.channels.get(chat.channelId)?.name ?? "";
      return {
        id: chat.id,
        name: chat.customer.name,
        channel,
        unread,
        last: last?.text || (last ? `[${last.type}]` : ""),
        time: last?.time ?? "",
        order: last?.id ?? 0,
      };
    })
    .sort((a, b) => b.order - a.order);
}

function shown({ world, origin }: Parts, channel: SandboxChannel, message: Message) {
  const quote = message.quoteId === undefined ? undefined : messageById(world, message.quoteId);
  const files = message.files.flatMap((id) => {
    const file = world.files.get(id);
    return file
      ? [
          {
            name: file.name,
            size: file.bytes.byteLength,
            image: file.mediaType.startsWith("image/"),
            url: fileUrl(file, origin()),
          },
        ]
      : [];
  });
  const may = (deed: "editing" | "deleting") =>
    message.from === "user" &&
    message.externalId !== undefined &&
    !message.deleted &&
    announces(channel, message.type, deed, "receive");
  return {
    ...message,
    files,
    quote: quote && { id: quote.id, text: quote.text || `[${quote.type}]` },
    may: { edit: may("editing"), delete: may("deleting"), quote: message.externalId !== undefined && !message.deleted },
  };
}

const placeOf = (channel: SandboxChannel, chat: Chat) => ({
  channel_id: channel.id,
  external_chat_id: chat.externalId,
  external_user_id: chat.customer.externalId,
});
const targetOf = (channel: SandboxChannel, chat: Chat, message: Message) => ({
  ...placeOf(channel, chat),
  external_message_id: message.externalId ?? "",
});

function say({ world, courier, now }: Parts, chat: Chat, channel: SandboxChannel, body: SendBody): Message {
  const files = (body.files ?? []).map((id) => {
    const file = world.files.get(id);
    if (!file) throw new Refusal(400, "No such file");
    return file;
  });
  const images = files.length > 0 && files.every((file) => file.mediaType.startsWith("image/"));
  const type = files.length === 0 ? "text" : images ? "image" : "file";
  const text = body.text ?? "";
  if (!text.trim() && files.length === 0) throw new Refusal(400, "The message is empty");
  if (!channel.active) throw new Refusal(400, "The channel is switched off");
  if (!announces(channel, type, "creating", "receive"))
    throw new Refusal(400, `This channel does not take messages of type ${type}`);
  const most = channel.settings.text?.max_chars_count;
  if (most && [...text].length > most) throw new Refusal(400, `The text is longer than ${most} characters`);
  const quote = body.quote === undefined ? undefined : messageById(world, body.quote);
  const suggestions = body.suggestions ?? [];
  const time = new Date(now()).toISOString();
  const own = { from: "user", status: "sending", edited: false, deleted: false } as const;
  const ids = { id: world.nextId(), chatId: chat.id, channelId: channel.id, quoteId: quote?.id };
  const message = add(world, { ...own, ...ids, type, text, files: files.map(({ id }) => id), suggestions, time });
  const data = {
    ...placeOf(channel, chat),
    id: message.id,
    type,
    content: text || null,
    quote_external_id: quote?.externalId ?? null,
    quote_content: quote?.text ?? null,
    ...(files.length > 0 && {
      items: files.map(({ id, name, bytes }) => ({ id, caption: name, size: bytes.byteLength })),
    }),
    ...(suggestions.length > 0 && { attachments: { suggestions } }),
    user: AGENT,
    customer: { first_name: chat.customer.name, last_name: "", avatar: "" },
  };
  courier.send(channel, "message_sent", data, message);
  return message;
}
