import type { Story } from "../../store/messages.ts";

export interface Step {
  /** In ms. */
  at: number;
  what: string;
  isBad?: true;
}

const ENDS: Partial<Record<Story["state"], string>> = {
  done: "delivered",
  held: "held: perhaps delivered, a person decides",
  dead: "not delivered",
  dropped: "discarded",
};

/** A message's history for the vendor, in chronological order. */
export const stepsOf = (story: Story): Step[] =>
  [...ofMessage(story), ...ofAck(story), ...afterwards(story)].sort((one, other) => one.at - other.at);

const failure = (what: string, { at, error }: { at: number; error?: string }): Step => ({
  ...{ at, what: `${what}: ${error ?? "?"}`, isBad: true },
});

function ofMessage({ at, direction, state, tries, error, code, nextAt, endedAt, lateAt }: Story): Step[] {
  const reason = error ? `: ${error}${code ? ` (${code})` : ""}` : "";
  const isBad = state === "dead" || state === "held" ? { isBad: true as const } : {};
  const ended = lateAt === undefined ? `${ENDS[state] ?? state}${reason}` : "accepted by the messenger";
  return [
    { at, what: direction === "inbound" ? "came from the customer" : "came from the CRM" },
    ...tries.map((each) => failure("an attempt failed", each)),
    ...(endedAt === undefined ? [] : [{ at: endedAt, what: ended, ...isBad }]),
    ...(lateAt === undefined ? [] : [{ at: lateAt, what: `the messenger could not deliver it${reason}`, ...isBad }]),
    ...(nextAt === undefined ? [] : [{ at: nextAt, what: "is due next" }]),
  ];
}

function ofAck({ ack }: Story): Step[] {
  if (!ack) return [];
  const { at, state, error, tries } = ack;
  const failed = tries.map((each) => failure("the gateway could not be told", each));
  if (at === undefined) return failed;
  const told = { at, what: "the gateway was told" };
  return [...failed, state === "given" ? told : failure("the gateway refused to be told", { at, error })];
}

const afterwards = ({ later, laterUntil, acts }: Story): Step[] => [
  ...later.map(({ at, kind, direction, state }) => ({
    ...{ at, what: `${kind} by the ${direction === "inbound" ? "customer" : "agent"} (${state})` },
  })),
  ...(laterUntil === undefined
    ? []
    : [{ at: laterUntil, what: "later edits, reactions and read marks: too many to show" }]),
  ...acts.map(({ at, actor, action }) => ({ at, what: `${actor}: ${action}` })),
];
