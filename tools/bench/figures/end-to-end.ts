import { pause } from "../../waiting.ts";
import { type Child, freePort } from "../child.ts";
import type { Seen } from "../fakes.ts";
import type { Ground, Went } from "../load.ts";
import type { Usage } from "../probe.ts";
import type { Summary } from "../profile.ts";
import { figureOf } from "../rounds.ts";
import { type Fakes, freshFolder, seed, startFakes, startLoad, startServer } from "../stage.ts";
import { bounded, type Line, type Measure, type Scale } from "./figure.ts";

const CROWD = { accounts: 200, channels: 1, chats: 20 };
const CONNECTIONS = 64;
const ROUND: Record<Scale, { rounds: number; count: number }> = {
  quick: { rounds: 2, count: 2_000 },
  usual: { rounds: 5, count: 5_000 },
  long: { rounds: 7, count: 12_000 },
};

interface Carried {
  perSecond: number;
  /** A message. */
  cpuMs: number;
}

/** A crowd that stands: a server, both sides of it and the load. */
export interface Stand {
  fakes: Fakes;
  server: Child;
  /** Takes so many messages, half each way, and resolves when all are at the other side. */
  carry(count: number): Promise<Carried>;
  usage(): Promise<Usage>;
  /** Where its data lies. */
  folder: string;
  ground: Ground;
  load: Child;
  stop(): Promise<void>;
}

interface Standing {
  /** Another build's. */
  main?: string;
  folder?: string;
  /** What the folder has besides the crowd when the server starts. */
  furnish?(folder: string): void;
}

export async function stand({ main, folder = freshFolder(), furnish }: Standing = {}): Promise<Stand> {
  const [fakes, load, port] = [await startFakes(), startLoad(), await freePort()];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  furnish?.(folder);
  const { origin, child: server } = await startServer(folder, fakes, port, main);
  await pause(1_500);
  const ground: Ground = { origin, targets, said: "both", chats: CROWD.chats, connections: CONNECTIONS };
  const usage = () => server.ask<Usage>("usage");
  return {
    ...{ fakes, server, folder, ground, load, usage },
    carry: async (count) => {
      await fakes.child.ask("forget");
      const before = await usage();
      const went = await load.ask<Went>("flood", { ground, count });
      if (went.failed > 0) throw new Error(`${went.failed} webhooks were not taken`);
      const { lastAt, posted, acked, sent } = await until(fakes.child, count);
      if (posted + sent !== count || acked !== sent)
        throw new Error(`something came twice: ${posted} ${sent} ${acked}`);
      const after = await usage();
      return { perSecond: (count * 1000) / (lastAt - went.beganAt), cpuMs: (after.cpuMs - before.cpuMs) / count };
    },
    stop: async () => {
      for (const child of [server, load, fakes.child]) await child.stop();
    },
  };
}

async function until(fakes: Child, count: number): Promise<Seen> {
  for (let looks = 0; looks < 6_000; looks++) {
    const seen = await fakes.ask<Seen>("seen");
    if (seen.posted + seen.sent >= count && seen.acked >= seen.sent) return seen;
    await pause(20);
  }
  throw new Error("not everything was delivered");
}

/** Both directions at once, acks included, from the first webhook in to the last call out. */
export const endToEnd: Measure = async (scale, against): Promise<Line[]> => {
  const { rounds, count } = ROUND[scale];
  const scene = await stand();
  await scene.carry(count / 2);
  const other = against && (await stand({ main: against }));
  if (other) await other.carry(count / 2);
  const went: Carried[] = [];
  const before: Carried[] = [];
  for (let n = 0; n < rounds; n++) {
    if (other) before.push(await other.carry(count));
    went.push(await scene.carry(count));
  }
  if (other) await other.stop();
  await scene.server.ask("profile");
  await scene.carry(count);
  const profile = await scene.server.ask<Summary>("profiled");
  await scene.stop();
  return [...toLines(went, profile), ...(other ? comparison(went, before) : [])];
};

function toLines(went: Carried[], profile: Summary): Line[] {
  const perSecond = figureOf(went.map((each) => each.perSecond));
  const cpuMs = figureOf(went.map((each) => each.cpuMs));
  const oneCore = figureOf(went.map((each) => 1000 / each.cpuMs));
  const what = "messages a second end to end, 200 accounts, both ways";
  return [
    bounded({
      name: "end-to-end-core",
      what: `${what}, on a core of its own`,
      figure: oneCore,
      unit: "/s",
      atLeast: 1_500,
    }),
    { name: "end-to-end", what: "the same by the clock, load and both fakes beside it", figure: perSecond, unit: "/s" },
    { name: "end-to-end-cpu", what: "CPU a message, acks included", figure: cpuMs, unit: " ms", detail: profile },
  ];
}

function comparison(went: Carried[], before: Carried[]): Line[] {
  const ratio = (key: keyof Carried) => figureOf(went.map((each, n) => each[key] / (before[n]?.[key] ?? Number.NaN)));
  return [
    { name: "against-cpu", what: "CPU a message ÷ the other build", figure: ratio("cpuMs"), unit: "" },
    { name: "against", what: "messages a second ÷ the other build", figure: ratio("perSecond"), unit: "" },
  ];
}
