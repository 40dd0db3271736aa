import { refusal } from "../graph-error.ts";
import type { Token } from "../tokens.ts";
import type { Platform } from "./network.ts";
import type { SendBody } from "./send-shape.ts";
import { type Chat, HUMAN_AGENT_MS, WINDOW_MS } from "./world.ts";

const TAG = "HUMAN_AGENT";

/** Throws GraphRefusal unless a message may be sent now. */
export function checkWindow(platform: Platform, chat: Chat, token: Token, body: SendBody): void {
  const { network, core } = platform;
  if (body.messaging_type === "UTILITY") throw refusal(100, "Param message[template] must be non-empty.");
  if (body.messaging_type === "MESSAGE_TAG" && body.tag === undefined)
    throw refusal(100, "The parameter tag is required.");
  if (body.tag !== undefined) checkTag(platform, token, body.tag);
  if (body.recipient.comment_id !== undefined) return;
  const isTagged = body.tag === TAG && body.messaging_type === "MESSAGE_TAG";
  const life = isTagged ? HUMAN_AGENT_MS : WINDOW_MS;
  if (chat.wroteAt === 0 || core.clock.now() - chat.wroteAt >= life) throw network.windowClosed();
}

function checkTag({ network }: Platform, { rights }: Token, tag: string): void {
  if (tag !== TAG) throw refusal(100, `Param tag must be one of {${TAG}}`);
  if (!rights.has(network.rights.humanAgent))
    throw refusal(10, "To use the Human Agent message tag, your app must be approved for the Human Agent feature.", {
      status: 403,
      error_subcode: 2018276,
    });
}
