import { randomUUID } from "node:crypto";
import type { Clock } from "gangway-messenger/clock";
import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import { memoryContext } from "gangway-messenger/kit/context";
import { sendMessage } from "gangway-messenger/kit/sending";
import type { Content } from "gangway-messenger/message";
import type { OutboundMessage } from "../../../../src/domain/message.ts";
import webchat from "../../src/index.ts";
import type { Entry } from "../../src/wire.ts";

export const fresh = () => new AbortController().signal;
export const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3, 4]);

export interface Init {
  body?: string | Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}
export type Opened = { visitor: string; cursor: number; history: Entry[]; older?: number; title: string };

/** A channel with its session, and a visitor with an open chat. */
export async function openShop(settings: Record<string, unknown> = {}, clock?: Clock) {
  const parts = memoryContext(webchat.settings.parse(settings), clock);
  const { context, commit, atGateway } = parts;
  const session = webchat.open(context);
  const ask = async (method: string, path: string, init: Init = {}) => {
    const receipt = await session.receive(new Request(`${context.doorUrl}/${path}`, { method, ...init }));
    await commit(receipt);
    return receipt;
  };
  const open = async (visitor?: unknown): Promise<Opened> => {
    const { reply } = await ask("POST", "open", { body: JSON.stringify({ visitor }) });
    return (await reply.json()) as Opened;
  };
  const { visitor } = await open();
  const chat = visitor.split(".")[0] as ChatId;
  const headers = { authorization: `Bearer ${visitor}` };
  const post = (body: object, by = headers) =>
    ask("POST", "messages", { headers: by, body: JSON.stringify({ id: randomUUID(), ...body }) });
  const upload = async (bytes: Uint8Array, type = "image/png", name = "a.png", by = headers) =>
    ask("POST", "files", {
      headers: { ...by, "content-type": type, "x-file-name": encodeURIComponent(name) },
      body: new Blob([new Uint8Array(bytes)]),
    });
  const uploaded = async (...args: Parameters<typeof upload>) =>
    (await (await upload(...args)).reply.json()) as { id: string; mediaType: string; image: boolean; name: string };
  const send = async (content: Content, key = "1", more: Partial<OutboundMessage> = {}, signal = fresh()) => {
    const speaker = { adapter: webchat, settings, session };
    const parts = await sendMessage(speaker, { chat, content, ...more }, key, signal);
    return parts.map(({ messengerMessageId }) => messengerMessageId);
  };
  const edit = async (id: string, words: string, signal = fresh()) => {
    const part = { messengerMessageId: id as MessengerMessageId, holds: "text" as const };
    await session.revisions?.edit({ do: "edit", part, text: words, marks: [], suggestions: [] }, chat, signal);
  };
  const history = async () => (await open(visitor)).history;
  const fromGateway = (id: string, bytes: Uint8Array | string, mediaType: string, name?: string) => {
    atGateway.set(id, () => ({ body: new Blob([bytes as never]).stream(), mediaType, name }));
    return { file: { at: "gateway" as const, id: id as GatewayFileId } };
  };
  const at = (id: string) => ({ chat, messengerMessageId: id as MessengerMessageId });
  const said = { ask, open, post, upload, uploaded, send, edit, history, fromGateway, at };
  return { ...parts, session, visitor, chat, headers, ...said };
}

export const text = (value: string): Content => ({ type: "text", text: value });
export const messagesOf = (entries: Entry[]) => entries.flatMap((entry) => (entry.type === "message" ? [entry] : []));
export const fault = async ({ reply }: { reply: Response }) =>
  ((await reply.json()) as { error: { path?: string; message: string } }).error;
