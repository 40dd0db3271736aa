import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import type { Child } from "../child.ts";
import type { Seen } from "../fakes.ts";
import type { LoadResult, Workload } from "../load.ts";
import type { Usage } from "../probe.ts";
import { figureOf } from "../rounds.ts";
import {
  type Crowd,
  connect,
  connectCeiling,
  type Fakes,
  freshFolder,
  type Server,
  seed,
  startCeiling,
  startFakes,
  startLoad,
  startServer,
} from "../stage.ts";
import type { Direction } from "../webhooks.ts";

export const CROWD: Crowd = { accounts: 200, channels: 1, chats: 20 };
/** To each process. */
const CONNECTIONS = 64;

export interface Carried {
  perSecond: number;
  /** CPU of the server's processes, the load and the fakes, per message. */
  cpuMs: number;
  loadMs: number;
  fakesMs: number;
}

/** A server, the fakes on both sides and the load. */
export interface Rig {
  fakes: Fakes;
  /** Its first process, if it has several. */
  server: Child;
  /** Carries `count` messages, half each way unless told otherwise; resolves when all are delivered. */
  carry(count: number, direction?: Direction): Promise<Carried>;
  /** The same at a fixed rate to each process. */
  pace(perSecond: number, ms: number): Promise<Carried>;
  usage(): Promise<Usage>;
  /** The server's data folder. */
  folder: string;
  workload: Workload;
  load: Child;
  stop(): Promise<void>;
}

interface RigOptions {
  folder?: string;
  /** Adds more data before the server starts. */
  prepare?(folder: string): void;
}

/** The product with customers who have written before. */
export async function openRig({ folder = freshFolder(), prepare }: RigOptions = {}): Promise<Rig> {
  const [fakes, port] = [await startFakes(), await freePort(0)];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  prepare?.(folder);
  const { origin, child } = await startServer(folder, fakes, port);
  await pause(1_500);
  return rigOf(fakes, [child], folder, { origins: [origin], targets, chats: CROWD.chats });
}

/** Processes on one database of PostgreSQL. */
interface Several {
  databaseUrl: string;
  processes: number;
}

/** A build of the product; every customer has written once, through the door. */
export async function openBuild(main?: string, crowd = CROWD, flags: string[] = [], several?: Several): Promise<Rig> {
  const [folder, fakes, port] = [freshFolder(), await startFakes(), await freePort(0)];
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  const { databaseUrl, processes = 1 } = several ?? {};
  const targets = await connect(folder, fakes, PUBLIC_URL, crowd, main, databaseUrl);
  const env: Record<string, string> = databaseUrl ? { PUBLIC_URL, DATABASE_URL: databaseUrl } : {};
  const servers: Server[] = [];
  for (let n = 0; n < processes; n++)
    servers.push(await startServer(folder, fakes, n === 0 ? port : await freePort(0), main, flags, env));
  const [children, origins] = [servers.map(({ child }) => child), servers.map(({ origin }) => origin)];
  const rig = rigOf(fakes, children, folder, { origins, targets, chats: crowd.chats });
  await quiet(rig);
  await rig.carry(crowd.accounts * crowd.chats, "inbound");
  await quiet(rig);
  return rig;
}

/** The relay of `ceiling.ts` in the product's place. */
export async function openCeiling(crowd = CROWD): Promise<Rig> {
  const [folder, fakes, port] = [freshFolder(), await startFakes(), await freePort(0)];
  const targets = connectCeiling(folder, crowd.accounts);
  // It has no limiter, and a refused message would be lost.
  await fakes.child.ask("set", { perSecond: Number.MAX_SAFE_INTEGER });
  const { origin, child } = await startCeiling(folder, fakes, port);
  return rigOf(fakes, [child], folder, { origins: [origin], targets, chats: crowd.chats });
}

function rigOf(
  fakes: Fakes,
  servers: Child[],
  folder: string,
  at: Pick<Workload, "origins" | "targets" | "chats">,
): Rig {
  const [server] = servers as [Child, ...Child[]];
  const load = startLoad();
  const workload: Workload = { ...at, direction: "both", connections: CONNECTIONS * servers.length };
  /** Agents' messages go to the product's own journal: only their acks are seen. */
  const hosted = at.targets[0]?.visitors !== undefined;
  const usage = async (): Promise<Usage> => {
    const each = await Promise.all(servers.map((child) => child.ask<Usage>("usage")));
    const sum = (key: keyof Usage) => each.reduce((all, one) => all + one[key], 0);
    return { rssMiB: sum("rssMiB"), heapMiB: sum("heapMiB"), cpuMs: sum("cpuMs") };
  };
  const spent = () => Promise.all([usage(), load.ask<number>("cpuMs"), fakes.child.ask<number>("cpuMs")]);
  const carried = async (count: number, send: () => Promise<LoadResult>): Promise<Carried> => {
    await fakes.child.ask("forget");
    const before = await spent();
    const result = await send();
    if (result.failed > 0) throw new Error(`${result.failed} webhooks were not accepted`);
    const { lastAt, posted, acked, sent, changed } = await until(fakes.child, count, hosted);
    if (posted + changed + (hosted ? acked : sent) !== count || (acked !== sent && !hosted))
      throw new Error(`duplicates: ${posted} posted, ${sent} sent, ${acked} acked`);
    const after = await spent();
    return {
      perSecond: (count * 1000) / (lastAt - result.beganAt),
      cpuMs: (after[0].cpuMs - before[0].cpuMs) / count,
      loadMs: (after[1] - before[1]) / count,
      fakesMs: (after[2] - before[2]) / count,
    };
  };
  return {
    ...{ fakes, server, folder, workload, load },
    usage,
    carry: (count, direction = "both") =>
      carried(count, () => load.ask<LoadResult>("flood", { workload: { ...workload, direction }, count })),
    pace(perSecond, ms) {
      const rate = perSecond * servers.length;
      return carried((rate * ms) / 1000, () => load.ask<LoadResult>("steady", { workload, rate, ms }));
    },
    stop: async () => {
      for (const child of [...servers, load, fakes.child]) await child.stop();
    },
  };
}

/** Looks without progress until messages count as lost; 20 ms apart. */
const MAX_LOOKS = 3_000;

async function until(fakes: Child, count: number, hosted: boolean): Promise<Seen> {
  let before = 0;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const seen = await fakes.ask<Seen>("seen");
    if (seen.posted + seen.changed + (hosted ? seen.acked : seen.sent) >= count && seen.acked >= seen.sent) return seen;
    const all = seen.posted + seen.sent + seen.changed + seen.acked;
    if (all > before) looks = 0;
    before = all;
    await pause(20);
  }
  throw new Error("not everything was delivered");
}

/** Round by round. */
export const ratioOf = (own: Carried[], others: Carried[], key: keyof Carried) =>
  figureOf(own.map((each, n) => each[key] / (others[n]?.[key] ?? Number.NaN)));

/** The checks of 10,000 channels never end: wait ten seconds at most. */
const QUIET = { windowMs: 500, cpuMs: 25, windows: 20 };

/** Resolves when the server does almost nothing. */
async function quiet({ usage }: Rig): Promise<void> {
  for (let window = 0; window < QUIET.windows; window++) {
    const before = await usage();
    await pause(QUIET.windowMs);
    if ((await usage()).cpuMs - before.cpuMs < QUIET.cpuMs) return;
  }
}

const FLAT = { within: 0.05, windows: 8 };

/** Carries windows of `count` messages until two in a row cost the same CPU; at most eight. */
export async function warmUp(rig: Rig, count: number): Promise<void> {
  let last = Number.NaN;
  for (let window = 0; window < FLAT.windows; window++) {
    const { cpuMs } = await rig.carry(count);
    if (Math.abs(cpuMs / last - 1) <= FLAT.within) return;
    last = cpuMs;
  }
}
