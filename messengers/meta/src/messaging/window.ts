import { DeliveryError } from "gangway-messenger/errors";
import type { SendStep } from "gangway-messenger/plan";
import { type Login, WINDOW_MS } from "./network.ts";
import { wroteKey } from "./notes.ts";

/** How a message can be sent now: as an answer, or as a person's, who has more time. */
export type MessagingType = { messaging_type: "RESPONSE" } | { messaging_type: "MESSAGE_TAG"; tag: "HUMAN_AGENT" };

export const RESPONSE: MessagingType = { messaging_type: "RESPONSE" };
const HUMAN_AGENT: MessagingType = { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" };
const DAY_MS = 86_400_000;

/**
 * Refuses without a call a message that Meta would refuse. If it is unknown when the customer last wrote, as after a
 * long silence, Meta decides. Throws DeliveryError.
 */
export async function messagingType(
  { context, windowMs }: Login,
  chat: string,
  { author }: Pick<SendStep, "author">,
): Promise<MessagingType> {
  const lifeMs = author?.bot ? WINDOW_MS : windowMs;
  const wroteAt = Number(await context.notes.get(wroteKey(chat))) || undefined;
  if (wroteAt === undefined) return lifeMs > WINDOW_MS ? HUMAN_AGENT : RESPONSE;
  const silentMs = context.clock.now() - wroteAt;
  if (silentMs >= lifeMs) throw closed(lifeMs);
  return silentMs < WINDOW_MS ? RESPONSE : HUMAN_AGENT;
}

const closed = (lifeMs: number) =>
  new DeliveryError(
    { type: "reject", code: "reply_timed_out" },
    lifeMs > WINDOW_MS
      ? `the customer has not written for ${lifeMs / DAY_MS} days, so they cannot be answered`
      : "the customer has not written for 24 hours, so they cannot be answered",
  );
