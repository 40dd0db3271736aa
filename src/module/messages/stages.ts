import type { Language } from "gangway-messenger/language";
import { type Account, works } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { JobId } from "../../domain/ids.ts";
import type { Stories, Story } from "../../store/messages.ts";
import type { MessageStories } from "./stories.ts";

/** A stage of a message's way from the customer to the CRM, or of the answer's way back. */
export interface Stage {
  stage: "stored" | "handed" | "answered" | "sent" | "told";
  state: "done" | "now" | "failed" | "next";
  /** When the stage ended, ms. */
  at?: number;
  fault?: StageFault;
}

/** Why a stage is not done; `gateway` and `messenger` are retried. For `vendor`, the detail is the pause's reason. */
export interface StageFault {
  code: "vendor" | "off" | "frozen" | "stopped" | "paused" | "gateway" | "messenger" | "held" | "dead" | "refused";
  detail: string;
  /** When the next attempt is due, ms. */
  nextAt?: number;
}

export interface Followed {
  message?: Story;
  /** The first answer to the message. */
  answer?: Story;
  account: Pick<Account, "active" | "frozen" | "pauseReason">;
  channel: Pick<Channel, "state" | "trouble" | "pauseReason">;
}

type Reached = Pick<Stage, "at" | "fault"> & { isDone?: boolean };

/** The stages that are done or failed, and the one in progress or waited for. */
export function stagesOf(followed: Followed): Stage[] {
  const { message, answer } = followed;
  const standings: [Stage["stage"], Reached][] = [
    ["stored", { isDone: message !== undefined, at: message?.at }],
    ["handed", message ? handed(message, followed) : {}],
    ["answered", { isDone: answer !== undefined, at: answer?.at }],
    ["sent", answer ? sent(answer, followed) : {}],
    ["told", answer ? told(answer) : {}],
  ];
  const first = standings.find(([, { isDone }]) => !isDone);
  return standings.map(([stage, { isDone, at, fault }]) => {
    const state = isDone ? "done" : fault ? "failed" : stage === first?.[0] ? "now" : "next";
    return { stage, state, at: isDone ? at : undefined, fault: isDone ? undefined : fault };
  });
}

/** The vendor's pause, which stops both directions. */
const pausedBy = ({ account, channel }: Followed): StageFault | undefined => {
  const detail = account.pauseReason ?? channel.pauseReason;
  return detail === undefined ? undefined : { code: "vendor", detail };
};

function handed(message: Story, followed: Followed): Reached {
  const { account } = followed;
  if (message.state === "done") return { isDone: true, at: message.endedAt };
  const paused = pausedBy(followed);
  if (paused) return { fault: paused };
  if (!works(account)) return { fault: { code: account.frozen ? "frozen" : "off", detail: "" } };
  return { fault: overFault(message) ?? retried(message, "gateway") };
}

function sent(answer: Story, followed: Followed): Reached {
  const { channel } = followed;
  if (answer.state === "done") return { isDone: true, at: answer.endedAt };
  const over = overFault(answer);
  if (over) return { at: undefined, fault: over };
  const paused = pausedBy(followed);
  if (paused) return { fault: paused };
  const { state, trouble = "" } = channel;
  if (state === "stopped" || state === "paused") return { fault: { code: state, detail: trouble } };
  return { fault: retried(answer, "messenger") };
}

function told({ ack }: Story): Reached {
  if (ack?.state === "given") return { isDone: true, at: ack.at };
  if (ack?.error === undefined) return {};
  return { fault: { code: ack.state === "refused" ? "refused" : "gateway", detail: ack.error } };
}

function overFault({ state, error = "" }: Story): StageFault | undefined {
  if (state === "held") return { code: "held", detail: error };
  return state === "dead" || state === "dropped" ? { code: "dead", detail: error } : undefined;
}

function retried(
  { tries, nextAt, error = tries.at(-1)?.error }: Story,
  code: StageFault["code"],
): StageFault | undefined {
  return error === undefined ? undefined : { code, detail: error, nextAt };
}

export interface FollowingParts {
  store: { stories: Pick<Stories, "answerTo"> };
  stories: Pick<MessageStories, "of">;
}

/** Reads the stages of a message; errors are explained in this language. */
export async function follow(
  { store, stories }: FollowingParts,
  { account, channel }: { account: Account; channel: Channel },
  id: JobId | undefined,
  language: Language,
): Promise<Stage[]> {
  const message = id && (await stories.of(account, id, language));
  const answerId = message && (await store.stories.answerTo(account.id, message.id));
  const answer = answerId && (await stories.of(account, answerId, language));
  return stagesOf({ message, answer, account, channel });
}
