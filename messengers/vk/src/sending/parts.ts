import type { MessengerMessageId } from "gangway-messenger/ids";
import type { SentPart } from "gangway-messenger/plan";

/** `names`: of the attachments. A voice message cannot be edited. */
export function partOf(names: string[], messengerMessageId: MessengerMessageId): SentPart {
  if (names.length === 0) return { messengerMessageId, holds: "text" };
  const isVoice = names.some((name) => name.startsWith("audio_message"));
  return { messengerMessageId, holds: isVoice ? "media" : "caption", ...(isVoice && { fixed: true }) };
}
