import { pause } from "../../waiting.ts";
import { type Child, freePort } from "../child.ts";
import type { Seen } from "../fakes.ts";
import type { LoadResult, Workload } from "../load.ts";
import type { Usage } from "../probe.ts";
import type { Summary } from "../profile.ts";
import { figureOf } from "../rounds.ts";
import { type Fakes, freshFolder, seed, startFakes, startLoad, startServer } from "../stage.ts";
import { bounded, type Measure, type Row, type Scale } from "./figure.ts";

const CROWD = { accounts: 200, channels: 1, chats: 20 };
const CONNECTIONS = 64;
const ROUND: Record<Scale, { rounds: number; count: number }> = {
  quick: { rounds: 2, count: 2_000 },
  usual: { rounds: 5, count: 5_000 },
  long: { rounds: 7, count: 12_000 },
};

interface Carried {
  perSecond: number;
  /** Per message. */
  cpuMs: number;
}

/** A server, the fakes on both sides and the load. */
export interface Rig {
  fakes: Fakes;
  server: Child;
  /** Carries `count` messages, half each way; resolves when all are delivered. */
  carry(count: number): Promise<Carried>;
  usage(): Promise<Usage>;
  /** The server's data folder. */
  folder: string;
  workload: Workload;
  load: Child;
  stop(): Promise<void>;
}

interface RigOptions {
  /** Another build's entry file. */
  main?: string;
  folder?: string;
  /** Adds more data before the server starts. */
  prepare?(folder: string): void;
}

export async function openRig({ main, folder = freshFolder(), prepare }: RigOptions = {}): Promise<Rig> {
  const [fakes, load, port] = [await startFakes(), startLoad(), await freePort()];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  prepare?.(folder);
  const { origin, child: server } = await startServer(folder, fakes, port, main);
  await pause(1_500);
  const workload: Workload = { origin, targets, direction: "both", chats: CROWD.chats, connections: CONNECTIONS };
  const usage = () => server.ask<Usage>("usage");
  return {
    ...{ fakes, server, folder, workload, load, usage },
    carry: async (count) => {
      await fakes.child.ask("forget");
      const before = await usage();
      const result = await load.ask<LoadResult>("flood", { workload, count });
      if (result.failed > 0) throw new Error(`${result.failed} webhooks were not accepted`);
      const { lastAt, posted, acked, sent } = await until(fakes.child, count);
      if (posted + sent !== count || acked !== sent)
        throw new Error(`duplicates: ${posted} posted, ${sent} sent, ${acked} acked`);
      const after = await usage();
      return { perSecond: (count * 1000) / (lastAt - result.beganAt), cpuMs: (after.cpuMs - before.cpuMs) / count };
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

/** Both directions with acks, from the first webhook in to the last call out. */
export const endToEnd: Measure = async (scale, against): Promise<Row[]> => {
  const { rounds, count } = ROUND[scale];
  const rig = await openRig();
  await rig.carry(count / 2);
  const other = against && (await openRig({ main: against }));
  if (other) await other.carry(count / 2);
  const own: Carried[] = [];
  const others: Carried[] = [];
  for (let n = 0; n < rounds; n++) {
    if (other) others.push(await other.carry(count));
    own.push(await rig.carry(count));
  }
  if (other) await other.stop();
  await rig.server.ask("profile");
  await rig.carry(count);
  const profile = await rig.server.ask<Summary>("profiled");
  await rig.stop();
  return [...toRows(own, profile), ...(other ? comparison(own, others) : [])];
};

function toRows(own: Carried[], profile: Summary): Row[] {
  const perSecond = figureOf(own.map((each) => each.perSecond));
  const cpuMs = figureOf(own.map((each) => each.cpuMs));
  const oneCore = figureOf(own.map((each) => 1000 / each.cpuMs));
  const what = "messages a second end to end, 200 accounts, both ways";
  return [
    bounded({
      name: "end-to-end-core",
      what: `${what}, on a core of its own`,
      figure: oneCore,
      unit: "/s",
      atLeast: 1_500,
    }),
    { name: "end-to-end", what: "the same beside the load and both fakes, wall clock", figure: perSecond, unit: "/s" },
    { name: "end-to-end-cpu", what: "CPU a message, acks included", figure: cpuMs, unit: " ms", detail: profile },
  ];
}

function comparison(own: Carried[], others: Carried[]): Row[] {
  const ratio = (key: keyof Carried) => figureOf(own.map((each, n) => each[key] / (others[n]?.[key] ?? Number.NaN)));
  return [
    { name: "against-cpu", what: "CPU a message ÷ another build's", figure: ratio("cpuMs"), unit: "" },
    { name: "against", what: "messages a second ÷ another build's", figure: ratio("perSecond"), unit: "" },
  ];
}
