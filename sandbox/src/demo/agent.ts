import { WebSocket } from "ws";
import { pause } from "./waiting.ts";

export interface InboxMessage {
  id: number;
  from: "customer" | "user";
  text: string;
  type: string;
  status: string;
  error?: { code: string; message?: string };
  /** Set once the messenger has the message, which can then be edited, deleted and quoted. */
  externalId?: string;
  edited: boolean;
  deleted: boolean;
  quote?: { id: number };
  files: { name: string; size: number; url: string }[];
}

/** An agent at the CRM, using the gateway's Bot API: events from its socket, actions by its calls. */
export interface Agent {
  chats(): Promise<{ id: number; unread: number }[]>;
  messages(chat: number): Promise<InboxMessage[]>;
  say(
    chat: number,
    message: { text?: string; files?: string[]; quote?: number; suggestions?: { type: string; title: string }[] },
  ): Promise<number>;
  /** A message's current id, which changes when it is resent. */
  newest(message: number): Promise<number>;
  edit(message: number, text: string): Promise<void>;
  remove(message: number): Promise<void>;
  read(chat: number): Promise<void>;
  upload(name: string, mediaType: string, bytes: Uint8Array): Promise<string>;
}

interface WireMessage {
  id: number;
  chat_id: number;
  type: string;
  status: string;
  content?: string | null;
  note?: string;
  is_edit: boolean;
  from?: { type: string };
  error?: { code: string; message?: string } | null;
  quote?: { id: number } | null;
  items?: { id: string; kind: string; size?: number }[];
  chat?: WireChat;
}
interface WireChat {
  id: number;
  not_read_messages?: number;
  not_read_messages_count?: number;
}
interface SocketEvent {
  type: string;
  data: { message?: WireMessage; chat?: WireChat };
}
type Ask = <T>(method: string, path: string, body?: unknown) => Promise<T>;

interface Screen {
  chats: Map<number, { id: number; unread: number }>;
  messages: Map<number, WireMessage>;
  deleted: Set<number>;
  /** Id of a message that did not reach the module → id of its resent copy. */
  resent: Map<number, Promise<number>>;
  resend(message: WireMessage): void;
}

const API = "/api/bot/v1";
const EVENTS = [
  "message_new",
  "message_updated",
  "message_deleted",
  "message_restored",
  "chat_created",
  "chat_updated",
];
const PAUSE_MS = 100;

export function agentAt(origin: string): Agent {
  let opening: Promise<{ ask: Ask; screen: Screen; token: string }> | undefined;
  const bodies = new Map<number, object>();
  const mediaTypes = new Map<string, string>();
  const resent = new Map<number, Promise<number>>();
  const open = () => {
    opening ??= logIn(origin, { resent, resend, lost });
    return opening;
  };
  const lost = () => {
    opening = undefined;
  };
  const post = async (body: object) => {
    const { message_id: id } = await act<{ message_id: number }>("POST", `${API}/messages`, body);
    bodies.set(id, body);
    // The socket may report the failure before the call is answered.
    const known = (await open()).screen.messages.get(id);
    if (known?.error?.code === "network_error") resend(known);
    return id;
  };
  // The gateway gave up at once: resend, as a person would.
  const resend = ({ id }: WireMessage) => {
    const body = bodies.get(id);
    if (body && !resent.has(id))
      resent.set(
        id,
        pause(PAUSE_MS).then(() => post(body)),
      );
  };
  const newest = async (id: number): Promise<number> => {
    const next = resent.get(id);
    return next ? newest(await next) : id;
  };
  const files = new Map<string, Promise<{ name: string; size: number; url: string }>>();
  const file = (ask: Ask, id: string) => {
    const known = files.get(id) ?? ask<{ url: string; size: number }>("GET", `${API}/files/${id}`).then(named);
    files.set(id, known);
    return known;
  };
  const act = async <T>(method: string, path: string, body?: unknown) => (await open()).ask<T>(method, path, body);
  return {
    chats: async () => [...(await open()).screen.chats.values()],
    async messages(chat) {
      const { ask, screen } = await open();
      const own = [...screen.messages.values()].filter(
        (m) => m.chat_id === chat && m.type !== "system" && !resent.has(m.id),
      );
      const listed = own
        .sort((a, b) => a.id - b.id)
        .map(async (message) => ({
          ...shown(message, screen),
          files: await Promise.all((message.items ?? []).map(({ id }) => file(ask, id))),
        }));
      return Promise.all(listed);
    },
    async say(chat, { text = "", files: attached = [], quote, suggestions = [] }) {
      const kinds = attached.map((id) => mediaTypes.get(id)?.startsWith("image/"));
      const type = attached.length === 0 ? "text" : kinds.every(Boolean) ? "image" : "file";
      return post({
        chat_id: chat,
        scope: "public",
        type,
        ...(type === "text" ? { content: text } : { note: text, items: attached.map((id) => ({ id })) }),
        ...(quote && { quote_message_id: quote }),
        ...(suggestions.length > 0 && { transport_attachments: { suggestions } }),
      });
    },
    newest,
    edit: (message, text) => act("PATCH", `${API}/messages/${message}`, { content: text }),
    remove: (message) => act("DELETE", `${API}/messages/${message}`),
    read: (chat) => act("POST", `/sandbox/agent/chats/${chat}/read`),
    async upload(name, mediaType, bytes) {
      const { token } = await open();
      const body = new FormData();
      body.set("file", new File([bytes as Uint8Array<ArrayBuffer>], name, { type: mediaType }));
      const headers = { "x-bot-token": token };
      const response = await fetch(`${origin}${API}/files/upload`, { method: "POST", headers, body });
      const { id } = (await response.json()) as { id: string };
      mediaTypes.set(id, mediaType);
      return id;
    },
  };
}

const named = ({ url, size }: { url: string; size: number }) => ({
  name: decodeURIComponent(url.split("/").at(-1) ?? ""),
  size,
  url,
});

function shown(message: WireMessage, screen: Screen): Omit<InboxMessage, "files"> {
  const delivered = ["received", "seen"].includes(message.status);
  return {
    id: message.id,
    from: message.from?.type === "customer" ? "customer" : "user",
    text: message.content || message.note || "",
    type: message.type,
    status: message.status,
    error: message.error ?? undefined,
    externalId: delivered ? String(message.id) : undefined,
    edited: message.is_edit,
    deleted: screen.deleted.has(message.id),
    quote: message.quote ?? undefined,
  };
}

/** Opens the socket before reading the lists, so that no event is missed. */
async function logIn(origin: string, { lost, ...resends }: Pick<Screen, "resent" | "resend"> & { lost(): void }) {
  const [agent] = (await (await fetch(`${origin}/sandbox/agents`)).json()) as { token: string }[];
  const token = agent?.token ?? "";
  const ask = asking(origin, token);
  const screen: Screen = { chats: new Map(), messages: new Map(), deleted: new Set(), ...resends };
  const socket = new WebSocket(`${origin.replace("http", "ws")}${API}/ws?events=${EVENTS.join(",")}`, {
    headers: { "x-bot-token": token },
  });
  socket.on("message", (bytes) => see(screen, JSON.parse(String(bytes)) as SocketEvent));
  socket.on("close", lost);
  await new Promise<void>((resolve, reject) => {
    socket.on("open", () => resolve());
    socket.on("error", reject);
  });
  const chats = await ask<WireChat[]>("GET", `${API}/chats?limit=1000`);
  const messages = await ask<WireMessage[]>("GET", `${API}/messages?limit=1000`);
  for (const chat of chats) if (!screen.chats.has(chat.id)) seeChat(screen, chat);
  for (const message of messages) if (!screen.messages.has(message.id)) screen.messages.set(message.id, message);
  return { ask, screen, token };
}

function see(screen: Screen, { type, data: { message, chat } }: SocketEvent): void {
  if (message) {
    screen.messages.set(message.id, message);
    if (type === "message_deleted") screen.deleted.add(message.id);
    else screen.deleted.delete(message.id);
    if (message.error?.code === "network_error") screen.resend(message);
  }
  const current = chat ?? message?.chat;
  if (current) seeChat(screen, current);
}

function seeChat(screen: Screen, { id, not_read_messages: listed, not_read_messages_count: pushed }: WireChat): void {
  screen.chats.set(id, { id, unread: pushed ?? listed ?? 0 });
}

/** Beyond the rate limit, pauses and tries again. */
function asking(origin: string, token: string): Ask {
  return async (method, path, body) => {
    // The other end may close a kept-alive connection just as it is reused.
    const headers = { "content-type": "application/json", "x-bot-token": token, connection: "close" };
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    for (;;) {
      const response = await fetch(`${origin}${path}`, init);
      if (response.ok) return (await response.json()) as never;
      const text = await response.text();
      if (response.status !== 429) throw new Error(`the inbox refused: ${text}`);
      await pause(PAUSE_MS);
    }
  };
}
