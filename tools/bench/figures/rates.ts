import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import type { LoadResult, Workload } from "../load.ts";
import type { Usage } from "../probe.ts";
import { compare, type Figure, figureOf, type Ratio } from "../rounds.ts";
import {
  connectCeiling,
  type Fakes,
  freshFolder,
  restForever,
  type Server,
  seed,
  slowDisk,
  startCeiling,
  startDoor,
  startFakes,
  startLoad,
  startPeer,
  startServer,
} from "../stage.ts";
import type { Direction, Target } from "../webhooks.ts";
import type { Scale } from "./figure.ts";

const CROWD = { accounts: 200, channels: 1, chats: 20 };
const WORKLOAD = { chats: CROWD.chats, connections: 64 };
const WARM_MS = 1_500;
const ROUND: Record<Scale, { rounds: number; ms: number }> = {
  quick: { rounds: 7, ms: 1_000 },
  usual: { rounds: 15, ms: 1_500 },
  long: { rounds: 9, ms: 5_000 },
};

export interface Side {
  server: Server;
  targets: Target[];
}

export interface Rates extends Ratio {
  p99: Figure;
  cpuUs: { a: Figure; b: Figure };
  cpuRatio: Figure;
}

/** Floods two servers alternately. */
export async function compared(
  scale: Scale,
  sides: (fakes: Fakes) => Promise<[Side, Side]>,
  direction: Direction = "outbound",
): Promise<Rates> {
  const { rounds, ms } = ROUND[scale];
  const fakes = await startFakes();
  const load = startLoad();
  const [a, b] = await sides(fakes);
  const p99s: number[] = [];
  const cpuUs = new Map<Side, number[]>([
    [a, []],
    [b, []],
  ]);
  const rate = async (side: Side, forMs: number) => {
    const { origin, child } = side.server;
    const workload: Workload = { origins: [origin], ...WORKLOAD, direction, targets: side.targets };
    const before = await child.ask<Usage>("usage");
    const result = await load.ask<LoadResult>("flood", { workload, ms: forMs });
    if (result.failed > 0) throw new Error(`${result.failed} webhooks were not accepted`);
    const after = await child.ask<Usage>("usage");
    cpuUs.get(side)?.push(((after.cpuMs - before.cpuMs) * 1000) / result.answered);
    if (side === a) p99s.push(result.p99);
    return result.rate;
  };
  for (const side of [a, b]) await rate(side, WARM_MS);
  for (const values of [p99s, ...cpuUs.values()]) values.length = 0;
  const rates = await compare(
    rounds,
    () => rate(a, ms),
    () => rate(b, ms),
  );
  for (const child of [a.server.child, b.server.child, load, fakes.child]) await child.stop();
  const cpu = (side: Side) => figureOf(cpuUs.get(side) ?? []);
  const cpuRatio = figureOf((cpuUs.get(a) ?? []).map((us, n) => us / (cpuUs.get(b)?.[n] ?? Number.NaN)));
  return { ...rates, p99: figureOf(p99s), cpuUs: { a: cpu(a), b: cpu(b) }, cpuRatio };
}

/** The gateway's door in a process of its own; see `doors.ts` for `mode`. */
export async function openDoor(mode: string, fakes: Fakes, syncMs = 0): Promise<Side> {
  const folder = freshFolder();
  const targets = await seed(folder, fakes, "http://127.0.0.1", CROWD);
  return { server: await startDoor(mode, folder, fakes, syncMs > 0 ? slowDisk(folder, syncMs) : {}), targets };
}

/** The relay of `ceiling.ts`, which stores and answers but sends nothing. */
export async function ceilingDoor(fakes: Fakes): Promise<Side> {
  const folder = freshFolder();
  const targets = connectCeiling(folder, CROWD.accounts);
  return { server: await startCeiling(folder, fakes, await freePort(0), false), targets };
}

/** The whole server; after each webhook its worker finds the account resting. */
export async function wholeServer(fakes: Fakes): Promise<Side> {
  const [folder, port] = [freshFolder(), await freePort(0)];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  restForever(folder);
  const server = await startServer(folder, fakes, port);
  await pause(500);
  return { server, targets };
}

/** A bot of the peer; its channel differs only in the address. */
export async function peerDoor(fakes: Fakes): Promise<Side> {
  const targets = connectCeiling(freshFolder(), 1);
  return { server: await startPeer(targets, fakes, await freePort(0)), targets };
}
