import { type CrowdResult, crowd } from "./crowd.ts";
import { atMost, type Figure, none } from "./figure.ts";
import { steady } from "./hurry.ts";
import { shuffled } from "./pairwise.ts";
import { createPowerCut } from "./power-cut.ts";
import type { Chaos, CrowdOptions } from "./scene.ts";
import type { Trial, TrialContext } from "./trial.ts";

/** Concurrent calls: at a messenger without idempotency keys, one kill duplicates at most this many messages. */
const CALLS = 8;
const EXIT_MS = 30_000;

const size = ({ short }: TrialContext, long: Pick<CrowdOptions, "messages" | "accounts" | "chats">) =>
  short ? { messages: 192, accounts: 2, chats: 6 } : long;
const LONG = { messages: 10_000, accounts: 10, chats: 30 };

export function options(
  context: TrialContext,
): Omit<CrowdOptions, "messages" | "accounts" | "chats" | "main" | "folder"> {
  const { env, random, print } = context;
  return { env, random, print, floods: 0, lost: 0, policy: "resend", calls: CALLS };
}

export function kept(result: CrowdResult, promises: { lost: string; duplicates: string }): Figure[] {
  return [
    none(promises.lost, "messages lost", result.lost),
    none(
      promises.lost,
      "messages given up, at the messenger and at the gateway",
      result.failed + result.dead - result.unknown,
    ),
    atMost("P2", `messages reported as unknown, ${result.deaths} deaths`, result.unknown, (result.deaths * CALLS) / 2),
    none(promises.duplicates, "duplicates at the gateway", result.gatewayDuplicates),
    none("P3", "chats out of order", result.disordered),
    none("P12", "calls the gateway refused with 429", result.tooMany),
    none("P12", "calls beyond the messenger's limits", result.floods),
    balanced(result),
  ];
}

/** Every accepted event has an outcome in the server's own ledger. */
const balanced = ({ ledger }: CrowdResult): Figure =>
  none("P1", `holes in the ledger of ${ledger.accepted} accepted`, ledger.hole);

/** Random ages on a logarithmic scale, ms: one in each of `count` equal parts, shuffled. */
export function agesOf(count: number, [min, max]: [number, number], random: () => number): number[] {
  const ages = Array.from({ length: count }, (_, n) => min * (max / min) ** ((n + random()) / count));
  return shuffled(ages, random);
}

/** Long before the server is ready. */
const YOUNG_MS = 20;
const atEveryAge = ({ short, random }: TrialContext): Chaos => ({
  signal: "SIGKILL",
  from: "launch",
  ages: short ? agesOf(6, [YOUNG_MS, 8_000], random) : agesOf(50, [YOUNG_MS, 60_000], random),
});
/** Slow enough to keep talking until the last kill without a flood, ms. */
const turnsOf = ({ short }: TrialContext) => (short ? 400 : 2_000);

export const kills: Trial = {
  name: "kills",
  async run(context) {
    const own = { chaos: atEveryAge(context), turnMs: turnsOf(context) };
    const scene = {
      ...options(context),
      ...size(context, LONG),
      ...own,
      folder: context.folder(),
      main: context.program(),
    };
    const result = await crowd(scene);
    report(context, result);
    const bound = result.deaths * CALLS;
    return [
      ...kept(result, { lost: "P1", duplicates: "P2" }),
      atMost("P2", `duplicates in chats, ${result.deaths} kills, ${CALLS} concurrent calls`, result.duplicates, bound),
    ];
  },
};

/** The same, on channels that hold unsure messages for a person. */
export const killsOnHold: Trial = {
  name: "kills on hold",
  async run(context) {
    const talk = { chaos: atEveryAge(context), turnMs: turnsOf(context) };
    const own = { ...options(context), lost: 0.05, floods: 0.05, policy: "hold" as const, ...talk };
    const result = await crowd({ ...own, ...size(context, LONG), folder: context.folder(), main: context.program() });
    report(context, result);
    return [
      none("P4", "duplicates in chats and at the gateway", result.duplicates + result.gatewayDuplicates),
      none("P4", "messages neither delivered nor reported", result.lost),
      atMost("P4", "undelivered messages, within those held for a person", result.failed, result.held),
      none("P3", "chats out of order", result.disordered),
      balanced(result),
    ];
  },
};

/** A power cut loses every unsynced write. */
export const powerCuts: Trial = {
  name: "power cuts",
  async run(context) {
    const power = createPowerCut(context.folder());
    const folder = context.folder();
    let undone = 0;
    const chaos: Chaos = {
      signal: "SIGKILL",
      from: "launch",
      ages: context.short
        ? agesOf(4, [YOUNG_MS, 2_500], context.random)
        : agesOf(20, [YOUNG_MS, 20_000], context.random),
      dead: () => {
        undone += power.cut(folder);
      },
    };
    const own = { chaos, folder, turnMs: turnsOf(context) };
    const scene = { ...options(context), ...size(context, { messages: 4_000, accounts: 8, chats: 25 }), ...own };
    const env = { ...context.env, ...power.env(folder) };
    const result = await crowd({ ...scene, env, main: context.program() });
    report(context, result, "power cuts");
    context.injected("unsynced writes undone", undone);
    context.print(`power cuts: ${undone} unsynced writes undone`);
    return kept(result, { lost: "P5", duplicates: "P5" });
  },
};

export const rollingRestarts: Trial = {
  name: "rolling restarts",
  async run(context) {
    const ages = Array.from({ length: context.short ? 4 : 100 }, () => 300 + context.random() * 900);
    const chaos: Chaos = { signal: "SIGTERM", from: "ready", ages };
    // Slow answers keep a call under way at every SIGTERM.
    const slow = { broken: 0.7, breaks: ["late" as const] };
    // Slow webhooks queue up at the gateway; pace the agents.
    const turnMs = context.short ? 400 : 1_200;
    const scene = { ...options(context), ...size(context, LONG), ...slow, chaos, calls: 64, turnMs };
    const result = await crowd({ ...scene, folder: context.folder(), main: context.program(steady(context)) });
    report(context, result, "graceful restarts");
    return [
      ...kept(result, { lost: "P7", duplicates: "P7" }),
      none("P7", `duplicates in chats, ${result.deaths} restarts under load`, result.duplicates),
      atMost("P7", "slowest shutdown", result.slowestEnd / 1000, (EXIT_MS / 1000) * context.slack, " s"),
    ];
  },
};

/** Answers get lost, and the network breaks exchanges in every way it can. */
export const brokenNetwork: Trial = {
  name: "broken network",
  async run(context) {
    const own = { ...options(context), lost: 0.1, broken: 0.1, calls: 64 };
    const result = await crowd({ ...own, ...size(context, LONG), folder: context.folder(), main: context.program() });
    report(context, result);
    return [
      none("P15", "messages lost", result.lost),
      none("P15", "duplicates at the gateway", result.gatewayDuplicates),
      none("P3", "chats out of order", result.disordered),
      balanced(result),
      atMost("P15", `duplicates in chats, ${result.lostAnswers} answers lost`, result.duplicates, result.lostAnswers),
    ];
  },
};

export function report(
  { print, injected, balance }: TrialContext,
  { notes, ways: _, ...figures }: CrowdResult,
  death = "kills",
): void {
  injected(death, figures.deaths);
  injected("answers lost", figures.lostAnswers);
  injected("exchanges broken or slowed by the network", figures.networkFaults);
  injected("webhooks refused with 503", figures.unavailable);
  balance(figures.ledger);
  print(JSON.stringify(figures));
  for (const note of notes.slice(0, 20)) print(`  ${note}`);
}
