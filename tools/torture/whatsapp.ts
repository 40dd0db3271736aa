import { crowd } from "./crowd.ts";
import { agesOf, report } from "./deaths.ts";
import { atLeast, atMost, type Figure, none } from "./figure.ts";
import { numbersAt } from "./numbers.ts";
import type { CrowdOptions } from "./scene.ts";
import type { Trial, TrialContext } from "./trial.ts";

/** Shares of calls and of messages. */
const SHARES = { floods: 0.06, lost: 0.08 };
const FAILURES = 0.05;
const CALLS = 8;

type Size = Pick<CrowdOptions, "messages" | "accounts" | "chats" | "turnMs">;
/** An agent has ten messages a minute to one customer. */
const SHORT: Size = { messages: 360, accounts: 2, chats: 30, turnMs: 250 };
const LONG: Size = { messages: 10_000, accounts: 10, chats: 30, turnMs: 1_000 };
const YOUNG_MS = 20;

/** A messenger takes a message, and tells later by webhooks what became of it. */
export const whatsapp: Trial = {
  name: "whatsapp",
  async run(context) {
    const result = await crowd({ ...optionsOf(context), folder: context.folder(), main: context.program() });
    report(context, result);
    const { outcomes, ledger } = result;
    if (!outcomes) throw new Error("the messenger tells no outcomes");
    context.injected("messages failed after their 200", outcomes.failures);
    context.print(JSON.stringify(outcomes));
    const slow = context.slack > 1;
    const { settledDuplicates, soonDuplicates } = outcomes;
    const late = result.duplicates - settledDuplicates - soonDuplicates;
    return [
      none("P1", "messages lost", result.lost),
      none("P2", "duplicates at the gateway", result.gatewayDuplicates),
      none("P2", "duplicates in chats where a status had named the first", settledDuplicates),
      none("P2", "duplicates in chats while a status may still come", soonDuplicates),
      // On a slow machine a server that dies again and again may miss a status and its repeats for more than a minute.
      atMost(
        "P2",
        `duplicates in chats without a status in time, ${result.deaths} deaths`,
        late,
        slow ? result.deaths : 0,
      ),
      none("P2", "messages reported as unknown, or held", result.unknown + result.held),
      none("P3", "chats out of order", result.disordered),
      none("P12", "calls beyond the limits of the gateway and the messenger", result.tooMany + result.floods),
      atLeast("P1", "messages that failed after their 200", outcomes.failures, 1),
      none("P1", "of those, not told to the agent as such", outcomes.untold),
      none("P1", "messages told as failed that were not", outcomes.invented),
      none("P1", "messages without an ack", outcomes.unacked),
      none("P1", "messages read by the customer, not seen as such", outcomes.unseen),
      ...balanced(ledger, outcomes.failures, late),
    ];
  },
};

const balanced = (
  { accepted, refused, waiting, hole }: Awaited<ReturnType<typeof crowd>>["ledger"],
  failures: number,
  copies: number,
): Figure[] => [
  none("P1", `holes in the ledger of ${accepted} accepted`, hole),
  none("P1", "waiting in the ledger", waiting),
  atLeast("P1", "refused in the ledger: the failures", refused, failures),
  // Of a message that was sent twice, one alone may fail.
  atMost("P1", "refused in the ledger: the failures, and of those sent twice", refused, failures + copies),
];

function optionsOf({ short, env, random, print }: TrialContext): Omit<CrowdOptions, "folder" | "main"> {
  const [count, oldest] = short ? [5, 6_000] : [40, 30_000];
  const ages = agesOf(count, [YOUNG_MS, oldest], random);
  return {
    ...(short ? SHORT : LONG),
    ...SHARES,
    ...{ env, random, print, calls: CALLS, policy: "resend" },
    messenger: numbersAt(FAILURES),
    chaos: { signal: "SIGKILL", from: "launch", ages },
  };
}
