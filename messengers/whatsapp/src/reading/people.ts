import { type ChatId, type CustomerId, cleanName } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import * as z from "zod";
import type { View } from "../connecting/view.ts";
import type { Lines } from "./lines.ts";
import type { WireContact, WireMessage } from "./update.ts";

/** Ids of a person: the number may be absent, the business-scoped user id (BSUID) on older numbers. */
export interface Ids {
  phone?: string;
  userId?: string;
}

const stored = z.object({
  phone: z.string().optional(),
  userId: z.string().optional(),
  /** Ids of earlier days. */
  old: z.array(z.string()).default([]),
  /** As the profile last said; many webhooks name none. */
  name: z.string().optional(),
  /** A chat of several people, which has the id of the group. */
  group: z.literal(true).optional(),
});
/** How to reach the customer of a chat. */
export type Reach = z.infer<typeof stored>;

/** Maximum number of earlier ids that are passed to the CRM. */
const MAX_OLD = 10;

/** Meta also puts a user id where a number was: in `from`, `wa_id` and `recipient_id`. */
export function idsOf(phone: string | undefined, userId: string | undefined): Ids {
  if (phone === undefined || /^\+?\d+$/.test(phone)) return { phone, userId };
  return { userId: userId ?? phone };
}

export function reachIn(note: string | undefined): Reach | undefined {
  if (!note) return undefined;
  try {
    const reach = stored.safeParse(JSON.parse(note)).data;
    return reach && { ...reach, ...idsOf(reach.phone, reach.userId), phone: idsOf(reach.phone, undefined).phone };
  } catch {
    return undefined;
  }
}

/** The chat of a person: the one by which one of their ids is known, else their first id. Undefined without any id. */
export async function chatOf({ phone, userId }: Ids, view: View): Promise<ChatId | undefined> {
  for (const id of [userId, phone]) {
    if (!id) continue;
    const chat = (await view.note(`chat:${id}`)) || id;
    const reach = reachIn(await view.note(`to:${chat}`));
    // A number may have passed to somebody else, who has another user id.
    if (reach && !(userId && reach.userId && reach.userId !== userId)) return chat as ChatId;
  }
  return (userId ?? phone) as ChatId | undefined;
}

/** Remembers the ids of a chat's customer, and returns all that are known. */
export async function learn(chat: ChatId, { phone, userId }: Ids, view: View, name?: string): Promise<Reach> {
  const known = reachIn(await view.note(`to:${chat}`));
  if (known?.group) return known;
  const reach: Reach = { phone: phone ?? known?.phone, userId: userId ?? known?.userId, old: known?.old ?? [] };
  const called = name || known?.name;
  if (called) reach.name = called;
  const gone = [known?.phone, known?.userId].filter((id) => id && id !== reach.phone && id !== reach.userId);
  reach.old = [...new Set([...(gone as string[]), ...reach.old])].slice(0, MAX_OLD);
  const value = JSON.stringify(reach);
  if (value !== (known && JSON.stringify(known))) view.set(`to:${chat}`, value);
  for (const id of [reach.phone, reach.userId])
    if (id && id !== chat && (await view.note(`chat:${id}`)) !== chat) view.set(`chat:${id}`, chat);
  return reach;
}

export const phoneText = (phone: string): string => `+${phone.replace(/^\+/, "")}`;

export function profileName(contact: WireContact | undefined): string {
  const username = cleanName(contact?.profile?.username ?? "");
  return cleanName(contact?.profile?.name ?? "") || (username && `@${username}`);
}

/** A group as a customer, and the member who writes. */
export async function groupOf(chat: ChatId, view: View): Promise<Customer> {
  const note = `to:${chat}`;
  if (!(await view.note(note))) view.set(note, JSON.stringify({ old: [], group: true } satisfies Reach));
  return { id: chat as string as CustomerId, nickname: view.lines.group({ id: chat.slice(-4) }) };
}

/** Never without a nickname: the gateway refuses such a customer. */
export function customerOf(
  chat: ChatId,
  { phone, userId, old, name: called }: Reach,
  { contact, referral }: { contact?: WireContact; referral?: WireMessage["referral"] },
  lines: Lines,
): Customer {
  const id = userId ?? phone ?? chat;
  const otherIds = [...new Set([phone, ...old, chat])].filter((other): other is string => !!other && other !== id);
  const nickname = profileName(contact) || called || (phone && phoneText(phone));
  return {
    id: id as CustomerId,
    ...(otherIds.length > 0 && { otherIds: otherIds as CustomerId[] }),
    nickname: nickname || lines.unnamed({ id: id.slice(-4) }),
    ...(phone && { phone: phoneText(phone), profileUrl: `https://wa.me/${phone.replace(/^\+/, "")}` }),
    ...(referral && { utm: utmOf(referral) }),
  };
}

/** An ad on Facebook or Instagram that opened the chat. */
function utmOf({ source_url: url = "", source_type: type, source_id: campaign, headline, ctwa_clid: term }: Referral) {
  const source = /instagram|ig\.me/i.test(url) ? "instagram" : "facebook";
  return { source, medium: type ?? "ad", campaign, content: headline, term };
}
type Referral = NonNullable<WireMessage["referral"]>;
