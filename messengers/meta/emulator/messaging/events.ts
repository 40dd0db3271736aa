import type { App } from "../apps.ts";
import type { Destination } from "../courier.ts";
import type { Platform } from "./network.ts";
import type { Account, Chat, Message } from "./world.ts";

/** The inbox of Meta Business Suite, where staff write. */
export const BUSINESS_SUITE = "263902037430900";

/** Times, watermarks and app ids, in the chosen notation. */
export const digits = ({ values }: Platform, value: number | string): number | string =>
  values().digits === "text" ? String(value) : Number(value);

function destinationOf(account: Account, app: App): Destination | undefined {
  const { webhook } = app;
  if (!webhook) return undefined;
  return {
    url: webhook.url,
    secret: () => app.secret,
    isLive: () => account.subscribed.has(app.id) && app.webhook?.url === webhook.url,
  };
}

/** Brings an entry to every app that is subscribed to the field, for itself and for this account. Resolves when the first tries are over. */
export async function post(
  platform: Platform,
  account: Account,
  entryFor: (app: App, fields: Set<string>) => object | undefined,
): Promise<void> {
  const sent = [...account.subscribed].map(([id, fields]) => {
    const app = platform.core.apps.find(id);
    const wanted = new Set([...fields].filter((field) => app?.fields?.includes(field) ?? true));
    const to = app && destinationOf(account, app);
    const content = app && entryFor(app, wanted);
    if (!to || !content) return undefined;
    return platform.core.courier.post(to, { id: account.id, time: platform.core.clock.now(), ...content });
  });
  await Promise.all(sent);
}

/** An event of a chat. An app that does not control the thread gets it on standby. */
export function announce(platform: Platform, chat: Chat, field: string | undefined, event: object): Promise<void> {
  return post(platform, chat.account, ({ id }, fields) => {
    if (field === undefined) return undefined;
    const isStandby = chat.owner !== undefined && chat.owner !== id;
    if (isStandby) return fields.has("standby") ? { standby: [event] } : undefined;
    return fields.has(field) ? { messaging: [event] } : undefined;
  });
}

/** What the customer did. */
export const fromCustomer = (platform: Platform, chat: Chat, content: object, at?: number) => ({
  sender: { id: chat.scopedId },
  recipient: { id: chat.account.id },
  timestamp: digits(platform, at ?? platform.core.clock.now()),
  ...content,
});

/** An app's or the staff's message, as it returns. */
export function echo(platform: Platform, chat: Chat, message: Message): Promise<void> {
  const { network, core } = platform;
  const app = message.app === undefined ? undefined : core.apps.find(message.app);
  const { app_id, ...more } = network.echo(message, app);
  return announce(platform, chat, network.events.echo, {
    sender: { id: chat.account.id },
    recipient: { id: chat.scopedId },
    timestamp: digits(platform, message.at),
    message: { is_echo: true, ...wireMessage(message), ...(app_id && { app_id: digits(platform, app_id) }), ...more },
  });
}

/** Of a message event. */
export const wireMessage = ({ mid, text, attachments, quickReply, replyTo, more }: Message) => ({
  mid,
  ...(text !== undefined && { text }),
  ...(attachments.length > 0 && { attachments }),
  ...(quickReply !== undefined && { quick_reply: { payload: quickReply } }),
  ...(replyTo && { reply_to: replyTo }),
  ...more,
});

/** A message of an account reaches the phone, and is read there if the person has it open. */
export async function arrive(platform: Platform, chat: Chat): Promise<void> {
  const { network, values } = platform;
  const waiting = chat.messages.filter(({ from, isDelivered }) => from === "account" && !isDelivered);
  const last = waiting.at(-1);
  if (!last || !chat.person.isOnline) return;
  for (const message of waiting) message.isDelivered = true;
  const delivery = {
    ...(values().deliveredMids && { mids: waiting.map(({ mid }) => mid) }),
    watermark: digits(platform, last.at),
  };
  await announce(platform, chat, network.events.delivery, fromCustomer(platform, chat, { delivery }));
  if (chat.person.readsAtOnce) await read(platform, chat);
}

/** The person opens the chat. */
export async function read(platform: Platform, chat: Chat): Promise<void> {
  const { network, values } = platform;
  const unread = chat.messages.filter(({ from, isRead }) => from === "account" && !isRead);
  const last = unread.at(-1);
  if (!last) return;
  for (const message of unread) Object.assign(message, { isDelivered: true, isRead: true });
  const isNamed = network.readsName === "mid" && values().reads === "mid";
  const seen = isNamed ? { mid: last.mid } : { watermark: digits(platform, last.at) };
  await announce(platform, chat, network.events.read, fromCustomer(platform, chat, { read: seen }));
}
