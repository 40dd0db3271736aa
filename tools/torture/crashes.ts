import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "gangway-sandbox";
import { ask } from "gangway-sandbox/demo/ask";
import { becomes, until } from "gangway-sandbox/demo/waiting";
import type { Patch } from "./copy.ts";
import { atMost, exactly, type Figure, none } from "./figure.ts";
import { countOn } from "./judge.ts";
import { atGateway, type Network, openShop, type Shop, statusOf } from "./shop.ts";
import type { LedgerSums, Trial } from "./trial.ts";

/** Patches that make the server kill itself at the crash point named in `file`. */
export const crashPoints = (file: string): Patch[] => [
  {
    file: "app.js",
    find: 'import { createBackground } from "./background.js";',
    replace: `import { createBackground } from "./background.js";\nimport { readFileSync } from "node:fs";\nglobalThis.crashAt = (point) => { if (readFileSync(${JSON.stringify(file)}, "utf8") === point) process.kill(process.pid, "SIGKILL"); };`,
  },
  {
    file: "relay/accept/inbound.js",
    find: "const { result: added, begun } = await withSlots(",
    replace: 'crashAt("inbound arrived");\nconst { result: added, begun } = await withSlots(',
  },
  {
    file: "relay/accept/inbound.js",
    find: "journals.announce(channel.id, journal);",
    replace: 'if (events.length > 0) crashAt("inbound stored");\njournals.announce(channel.id, journal);',
  },
  {
    file: "relay/accept/outbound.js",
    find: "const { result: isNew, begun } = await withSlots(",
    replace: 'crashAt("outbound arrived");\nconst { result: isNew, begun } = await withSlots(',
  },
  {
    file: "relay/accept/outbound.js",
    find: "// The customer may have been erased meanwhile.",
    replace: 'crashAt("outbound stored");',
  },
  {
    file: "relay/deliver/attempt.js",
    find: "const began = deps.clock.now();",
    replace: "crashAt(`$" + "{job.direction} claimed`);\nconst began = deps.clock.now();",
  },
  {
    file: "relay/deliver/attempt.js",
    find: 'deps.log[failure ? "warn" : "info"](',
    replace: "crashAt(`$" + '{job.direction} sent`);\ndeps.log[failure ? "warn" : "info"](',
  },
  {
    file: "relay/deliver/attempt.js",
    find: "if (is === false)",
    replace: "crashAt(`$" + "{job.direction} recorded`);\nif (is === false)",
  },
];

const STAGES = ["arrived", "stored", "claimed", "sent", "recorded"];
const INBOUND = STAGES.map((stage) => `inbound ${stage}`);
const OUTBOUND = [...STAGES.map((stage) => `outbound ${stage}`), "ack claimed", "ack sent", "ack recorded"];
const LONG_RUNS = 20;
/** Points at which the call to the messenger may have left: it can leave with the commit that accepts it. */
const CALL_LEFT = ["outbound stored", "outbound sent"];

/** SIGKILL at every crash point, in both directions, at messengers with and without idempotency keys. */
export const crashes: Trial = {
  name: "crash points",
  async run(context) {
    const file = join(context.folder(), "crash-point");
    writeFileSync(file, "");
    const metrics = await freePort(0);
    const program = context.program(crashPoints(file));
    const shop = { ...(await openShop(context, program, { METRICS_PORT: String(metrics) })), file, metrics };
    let givenUp = 0;
    const count: Count = {
      crashes: 0,
      lost: 0,
      atGateway: 0,
      keyed: 0,
      unkeyed: 0,
      expected: 0,
      unexplained: 0,
      notes: [],
    };
    try {
      for (const network of ["bot", "web chat"] as const) await greet(shop, network);
      const runs = context.short ? 1 : LONG_RUNS;
      for (let n = 0; n < runs; n++)
        for (const network of ["bot", "web chat"] as const) {
          const chosen = (points: string[]) => (context.short && network === "web chat" ? points.slice(2, 4) : points);
          for (const point of chosen(INBOUND)) await crashInbound(shop, network, point, n, count);
          for (const point of chosen(OUTBOUND)) await crashOutbound(shop, network, point, n, count);
        }
      givenUp = countOn(await shop.visit.lookAtFailed(), "Not delivered");
    } finally {
      await shop.close();
    }
    context.injected("kills at crash points", count.crashes);
    for (const note of count.notes) context.print(note);
    return [...figuresOf(count), none("P1", "messages given up", givenUp)];
  },
};

/** `file` names the next crash point; `metrics` is the port of the ledger. */
type Stage = Shop & { file: string; metrics: number };

interface Count {
  crashes: number;
  expected: number;
  lost: number;
  atGateway: number;
  /** Duplicates at a messenger with a key, at one without, and without a call under way. */
  keyed: number;
  unkeyed: number;
  unexplained: number;
  /** Crash points that lost or doubled a message. */
  notes: string[];
}

const figuresOf = (count: Count): Figure[] => [
  exactly("P1", "crash points reached", count.crashes, count.expected),
  none("P1", "messages lost by crashes", count.lost),
  none("P2", "duplicates at the gateway", count.atGateway),
  none("P2", "duplicates at a messenger with a key", count.keyed),
  none("P2", "duplicates without a call under way", count.unexplained),
  atMost("P2", "duplicates without a key, after a crash once the call may have left", count.unkeyed, count.expected),
];

async function greet(shop: Stage, network: Network): Promise<void> {
  await shop.customers[network].say(`hello from ${network}`);
  const known = await becomes(() => shop.customers[network].chat() !== undefined);
  if (!known) throw new Error("the first message did not arrive");
}

/** Whether all is recorded: what an earlier message still owes would reach the next crash point before its own message. */
async function isQuiet({ metrics }: Stage): Promise<boolean> {
  const { lines } = (await (await ask(`http://127.0.0.1:${metrics}/ledger`)).json()) as {
    lines: (LedgerSums & { acks: LedgerSums })[];
  };
  return lines.every(({ waiting, acks }) => waiting + acks.waiting === 0);
}

/** Runs `act` with the server set to crash at `point`, then restarts it. */
async function crashing(shop: Stage, point: string, count: Count, act: () => Promise<unknown>): Promise<void> {
  await until("the server to record everything", () => isQuiet(shop));
  count.expected += 1;
  writeFileSync(shop.file, point);
  const gone = shop.server.ended();
  const done = act();
  const crashed = await Promise.race([gone.then(() => true), late()]);
  if (crashed) count.crashes += 1;
  else await shop.server.kill("SIGKILL");
  writeFileSync(shop.file, "");
  await shop.server.start();
  await done;
}

const LATE_MS = 20_000;
const late = () => new Promise<false>((resolve) => setTimeout(() => resolve(false), LATE_MS).unref());

async function crashInbound(shop: Stage, network: Network, point: string, n: number, count: Count): Promise<void> {
  // One loss fails the trial; skip the rest.
  if (count.lost > 0) return;
  const text = `${network}: ${point}, ${n}`;
  await crashing(shop, point, count, () => shop.customers[network].say(text));
  await becomes(() => atGateway(shop, text) > 0);
  const times = atGateway(shop, text);
  if (times !== 1) count.notes.push(`${text}: ${times} times at the gateway`);
  if (times === 0) count.lost += 1;
  if (times > 1) count.atGateway += times - 1;
}

async function crashOutbound(shop: Stage, network: Network, point: string, n: number, count: Count): Promise<void> {
  if (count.lost > 0) return;
  const text = `${network}: ${point}, ${n}`;
  const customer = shop.customers[network];
  const chat = customer.chat() ?? 0;
  await crashing(shop, point, count, () => shop.agent.say(chat, { text }));
  const settled = () => !["sending", "sent", undefined].includes(statusOf(shop, text));
  await becomes(async () => (await customer.sees(text)) > 0 && settled());
  const times = await customer.sees(text);
  if (times !== 1) count.notes.push(`${text}: ${times} times in the chat, ${statusOf(shop, text)}`);
  if (times === 0 || statusOf(shop, text) === "failed") count.lost += 1;
  if (times <= 1) return;
  if (network === "web chat") count.keyed += times - 1;
  else if (CALL_LEFT.includes(point)) count.unkeyed += times - 1;
  else count.unexplained += times - 1;
}
