import type { ChannelAdapter, ChannelSession, Sent } from "../../channels/port.ts";
import type { UnsurePolicy } from "../../domain/channel/channel.ts";
import { DeliveryError, type Postponed } from "../../domain/delivery/delivery.ts";
import type { SendStep } from "../../domain/delivery/plan.ts";
import { errorText } from "../../domain/errors.ts";
import type { ChatId } from "../../domain/ids.ts";

// A step may have been carried out: the process ended in the middle, or the messenger gave no clear answer.

type Idempotency = Pick<ChannelAdapter, "sendIdempotency" | "idempotencyMs">;

/** Until when a doubtful step may be repeated, or looked up, whatever the policy; ms. */
export function repeatableUntil(idempotency: Idempotency | undefined, since: number): number {
  if (!idempotency || idempotency.sendIdempotency === "none") return 0;
  return since + (idempotency.idempotencyMs ?? Number.POSITIVE_INFINITY);
}

/** Shortest time between two questions about a step, ms. */
const MIN_ASK_MS = 500;

interface Doubt {
  adapter: Idempotency;
  session: Pick<ChannelSession, "identify" | "lookup">;
  policy: UnsurePolicy;
  /** Unknown outcomes in a row; 0: a person decided to send it. */
  unsure: number;
  since: number;
  now: number;
}
interface DoubtfulStep {
  step: SendStep;
  chat: ChatId;
  key: string;
}

/**
 * Resolves with the result if the step was carried out, undefined if it must be sent. Postponed: the messenger may be able
 * to tell later, which is no attempt. Throws DeliveryError.
 */
export async function resolveDoubt(
  { adapter, session, policy, unsure, since, now }: Doubt,
  { step, chat, key }: DoubtfulStep,
  signal: AbortSignal,
): Promise<Sent | Postponed | undefined> {
  // The decision made at the failure, by policy or by a person, stands.
  if (adapter.sendIdempotency === "none") return ensureReachable(session, signal);
  const until = repeatableUntil(adapter, since);
  if (now < until) {
    if (adapter.sendIdempotency === "native") return undefined;
    const answer = await lookUp(session, { step, chat, key }, since, signal);
    if (answer.found === "arrived") return answer;
    if (answer.found === "absent") return undefined;
    // From `until` on, the policy decides.
    if (answer.askAgainMs !== undefined)
      return { postponedMs: Math.min(Math.max(answer.askAgainMs, MIN_ASK_MS), until - now) };
  }
  if (unsure === 0 || (policy === "resend" && unsure === 1)) return ensureReachable(session, signal);
  throw new DeliveryError({ type: "unsure", asked: true }, "the messenger cannot tell whether it arrived");
}

/** Do not spend the only repeat on an outage: it might leave a duplicate and still be in doubt. */
async function ensureReachable(session: Doubt["session"], signal: AbortSignal): Promise<undefined> {
  await asRetry(async () => session.identify?.(signal));
}

const lookUp = (session: Doubt["session"], { step, chat, key }: DoubtfulStep, since: number, signal: AbortSignal) =>
  asRetry(async () => (await session.lookup?.(step, { chat, key, since }, signal)) ?? { found: "unknown" as const });

/** A query delivers nothing, so any failure of it is a retry. */
async function asRetry<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query();
  } catch (error) {
    if (error instanceof DeliveryError && ["retry", "reconnect"].includes(error.verdict.type)) throw error;
    throw new DeliveryError({ type: "retry" }, errorText(error));
  }
}
