import type { MessengerMessageId } from "gangway-messenger/ids";
import { type Reading, timeOf } from "../connecting/view.ts";
import { lateError } from "../verdict.ts";
import { chatOf, idsOf } from "./people.ts";
import type { WireStatus } from "./update.ts";

/**
 * Sent with every message and repeated in each of its statuses: other programs send from the number, too, and so do
 * other servers of ours.
 */
export const callbackData = (channelId: string, key: string): string => `gangway:${channelId}:${key}`;
export const sentNote = (key: string): string => `accepted:${key}`;

/** Read by the customer; a voice message is then played, too. */
const READ = ["read", "played"];

/**
 * What became of a message of ours. Statuses come in any order, and each of them proves that Meta has the message:
 * `lookup` finds it by its key.
 */
export async function readStatus(status: WireStatus, reading: Reading): Promise<void> {
  const data = status.biz_opaque_callback_data;
  const own = callbackData(reading.channelId, "");
  // The CRM knows no message of another channel.
  if (data && !data.startsWith(own)) return;
  if (data) {
    const note = sentNote(data.slice(own.length));
    if (!(await reading.note(note))) reading.set(note, status.id);
  }
  const isRead = READ.includes(status.status);
  if (!isRead && status.status !== "failed") return;
  const chat = await chatOf(idsOf(status.recipient_id, status.recipient_user_id), reading);
  if (!chat) return;
  const event = { chat, messengerMessageId: status.id as MessengerMessageId, at: timeOf(status.timestamp, reading) };
  if (isRead) {
    reading.events.push({ type: "read", key: `read:${status.id}`, ...event });
    return;
  }
  const [error] = status.errors;
  const said = error?.error_data?.details ?? error?.message ?? error?.title ?? "";
  reading.events.push({
    type: "failed",
    key: `failed:${status.id}`,
    ...event,
    error: lateError(error?.code ?? 0, said),
  });
}
