import type { ChannelAdapter, ChannelSession, Sent } from "../../channels/port.ts";
import type { UnsurePolicy } from "../../domain/channel.ts";
import { DeliveryError } from "../../domain/delivery.ts";
import { errorText } from "../../domain/errors.ts";
import type { ChatId } from "../../domain/ids.ts";
import type { SendStep, Work } from "../../domain/plan.ts";

// A step was perhaps carried out: the process ended in the middle, or the messenger did not say.

type Idempotency = Pick<ChannelAdapter, "sendIdempotency" | "idempotencyMs">;

/** The work with the doubt written into it: the first time counts, by which the messenger's memory is measured. */
export const inDoubt = ({ plan, progress }: Work, triedAt: number): Work => ({
  plan,
  progress: { ...progress, since: progress.since ?? triedAt },
});

/** Until when a step in doubt may be repeated, or asked for, without a policy; ms. */
export function repeatableUntil(idempotency: Idempotency | undefined, since: number): number {
  if (!idempotency || idempotency.sendIdempotency === "none") return 0;
  return since + (idempotency.idempotencyMs ?? Number.POSITIVE_INFINITY);
}

interface Doubt {
  adapter: Idempotency;
  session: Pick<ChannelSession, "identify" | "lookup">;
  policy: UnsurePolicy;
  /** How often in a row nobody knew; 0: a person has decided to send it. */
  unsure: number;
  since: number;
  now: number;
}
interface DoubtfulStep {
  step: SendStep;
  chat: ChatId;
  key: string;
}

/** Resolves with what the messenger made of the step, or undefined when it is to be sent. Throws DeliveryError. */
export async function settleDoubt(
  { adapter, session, policy, unsure, since, now }: Doubt,
  { step, chat, key }: DoubtfulStep,
  signal: AbortSignal,
): Promise<Sent | undefined> {
  // What was decided when it failed, by policy or by a person, stands.
  if (adapter.sendIdempotency === "none") return whenThere(session, signal);
  if (now < repeatableUntil(adapter, since)) {
    if (adapter.sendIdempotency === "native") return undefined;
    const answer = await asked(session, { step, chat, key }, since, signal);
    if (answer.found === "arrived") return answer;
    if (answer.found === "absent") return undefined;
  }
  if (unsure === 0 || (policy === "resend" && unsure === 1)) return whenThere(session, signal);
  throw new DeliveryError({ type: "unsure", asked: true }, "the messenger cannot tell whether it arrived");
}

/** The one repeat is not spent on an outage, in which it may leave a copy and be in doubt again. */
async function whenThere(session: Doubt["session"], signal: AbortSignal): Promise<undefined> {
  await harmless(async () => session.identify?.(signal));
}

const asked = (session: Doubt["session"], { step, chat, key }: DoubtfulStep, since: number, signal: AbortSignal) =>
  harmless(async () => (await session.lookup?.(step, { chat, key, since }, signal)) ?? { found: "unknown" as const });

/** Asking delivers nothing: whatever goes wrong with it is tried again. */
async function harmless<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DeliveryError && ["retry", "reconnect"].includes(error.verdict.type)) throw error;
    throw new DeliveryError({ type: "retry" }, errorText(error));
  }
}
