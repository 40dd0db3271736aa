import { refusal } from "../graph-error.ts";
import type { Platform } from "./network.ts";
import type { SendBody } from "./send-shape.ts";
import { type Chat, findMessage, WINDOW_MS } from "./world.ts";

/** Typing shows this long. */
const TYPING_MS = 20_000;

/** Typing, read marks and reactions. Throws GraphRefusal. */
export function act(platform: Platform, chat: Chat, { sender_action, payload, message }: SendBody): object {
  const { core } = platform;
  if (message) throw refusal(100, "Must specify only one of the message and sender_action params.");
  if (sender_action === "mark_seen") chat.seenAt = core.clock.now();
  else {
    if (core.clock.now() - chat.wroteAt >= WINDOW_MS) throw platform.network.windowClosed();
    if (sender_action === "typing_on") chat.typingUntil = core.clock.now() + TYPING_MS;
    if (sender_action === "typing_off") chat.typingUntil = 0;
    if (sender_action === "react" || sender_action === "unreact")
      react(platform, chat, payload, sender_action === "react");
  }
  return { recipient_id: chat.scopedId };
}

function react({ world }: Platform, chat: Chat, payload: SendBody["payload"], isAdded: boolean): void {
  if (!payload) throw refusal(100, "The parameter payload is required.");
  const found = findMessage(world, payload.message_id);
  if (found?.chat !== chat || found.message.isDeleted) throw refusal(100, "Invalid message id.");
  if (!isAdded) {
    delete found.message.reactions.account;
    return;
  }
  if (!payload.reaction) throw refusal(100, "The parameter payload[reaction] is required.");
  found.message.reactions.account = { reaction: payload.reaction };
}
