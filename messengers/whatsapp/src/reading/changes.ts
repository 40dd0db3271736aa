import type { ChatId, MessengerMessageId } from "gangway-messenger/ids";
import { type Reading, timeOf } from "../connecting/view.ts";
import { chatOf, type Ids, idsOf, learn, phoneText, reachIn } from "./people.ts";
import type { WireIdUpdate, WireMessage, WirePreference } from "./update.ts";

// What changes about a customer: the number, the id, the wish for marketing.

const CHANGED_NUMBER = ["user_changed_number", "customer_changed_number"];
const CHANGED_ID = "user_changed_user_id";

/** System messages that agents can use; the others are dropped. */
export async function readSystem(message: WireMessage, reading: Reading): Promise<void> {
  const { system, from, from_user_id: sender } = message;
  const { previous_user_id: previous } = system ?? {};
  const at = timeOf(message.timestamp, reading);
  // Where the earlier id is named, the sender's is the new one.
  const before = idsOf(from, previous ?? sender);
  const now = idsOf(system?.wa_id ?? system?.new_wa_id, system?.user_id ?? (previous && sender));
  if (CHANGED_NUMBER.includes(system?.type ?? "")) await changeIds(before, now, { key: message.id, at }, reading);
  // The field `user_id_update` tells the same change: both have this key.
  else if (now.userId && (previous || system?.type === CHANGED_ID))
    await changeIds(before, now, { key: idKey(before.userId ?? from, now.userId), at }, reading);
}

const idKey = (before: string | undefined, now: string) => `user-id:${before ?? ""}:${now}`;

export function readIdUpdate({ wa_id: phone, user_id: ids, timestamp }: WireIdUpdate, reading: Reading): Promise<void> {
  const at = { key: idKey(ids.previous, ids.current), at: timeOf(timestamp, reading) };
  return changeIds(idsOf(phone, ids.previous), idsOf(phone, ids.current), at, reading);
}

/** The chat stays the same under the new ids. Agents are told once. */
async function changeIds(before: Ids, now: Ids, { key, at }: { key: string; at: number }, reading: Reading) {
  const chat = (await chatOf(before, reading)) ?? (await chatOf(now, reading));
  if (!chat) return;
  const isKnown = reachIn(await reading.note(`to:${chat}`)) !== undefined;
  await learn(chat, before, reading);
  await learn(chat, { phone: now.phone, userId: now.userId }, reading);
  if (!isKnown) return;
  const isNumber = now.phone !== undefined && now.phone !== before.phone;
  const change = { from: before.phone ? phoneText(before.phone) : "…", to: phoneText(now.phone ?? "…") };
  tell(chat, isNumber ? reading.lines.changedNumber(change) : reading.lines.changedId, { key, at }, reading);
}

/** Any but the first lets marketing messages through. */
const PREFERENCES = ["stop", "resume", "signup"];

export async function readPreference(preference: WirePreference, reading: Reading): Promise<void> {
  const { wa_id: phone, user_id: userId, category, value, timestamp } = preference;
  if (category !== "marketing_messages" || !PREFERENCES.includes(value ?? "")) return;
  const chat = await chatOf(idsOf(phone, userId), reading);
  if (!chat) return;
  const isStop = value === "stop";
  const wasStop = (await reading.note(`optout:${chat}`)) === "1";
  if (isStop === wasStop) return;
  reading.set(`optout:${chat}`, isStop ? "1" : "");
  // Nobody has this customer's chat until they have written, or have been written to.
  if (!reachIn(await reading.note(`to:${chat}`))) return;
  const at = timeOf(timestamp, reading);
  const key = `preference:${chat}:${at}:${value}`;
  tell(chat, isStop ? reading.lines.stopped : reading.lines.resumed, { key, at }, reading);
}

function tell(chat: ChatId, text: string, { key, at }: { key: string; at: number }, reading: Reading): void {
  reading.events.push({ type: "note", key, chat, messengerMessageId: key as MessengerMessageId, at, text });
}
