import { pause } from "../../waiting.ts";
import { freePort } from "../child.ts";
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
  startServer,
} from "../stage.ts";
import type { Target } from "../webhooks.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";

const CROWD = { accounts: 200, channels: 1, chats: 20 };
const WORKLOAD = { direction: "outbound" as const, chats: CROWD.chats, connections: 64 };
const WARM_MS = 1_500;
const ROUND: Record<Scale, { rounds: number; ms: number }> = {
  quick: { rounds: 7, ms: 1_000 },
  usual: { rounds: 15, ms: 1_500 },
  long: { rounds: 9, ms: 5_000 },
};

interface Side {
  server: Server;
  targets: Target[];
}

interface Rates extends Ratio {
  p99: Figure;
  cpuUs: { a: Figure; b: Figure };
  cpuRatio: Figure;
}

/** Floods two servers alternately. */
async function compared(scale: Scale, sides: (fakes: Fakes) => Promise<[Side, Side]>): Promise<Rates> {
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
    const workload: Workload = { origin, ...WORKLOAD, targets: side.targets };
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
async function openDoor(mode: string, fakes: Fakes, syncMs = 0): Promise<Side> {
  const folder = freshFolder();
  const targets = await seed(folder, fakes, "http://127.0.0.1", CROWD);
  return { server: await startDoor(mode, folder, fakes, syncMs > 0 ? slowDisk(folder, syncMs) : {}), targets };
}

/** The relay of `ceiling.ts`, which stores and answers but sends nothing. */
async function ceilingDoor(fakes: Fakes): Promise<Side> {
  const folder = freshFolder();
  const targets = connectCeiling(folder, CROWD.accounts);
  return { server: await startCeiling(folder, fakes, await freePort(), false), targets };
}

/** The whole server; after each webhook its worker finds the account resting. */
async function wholeServer(fakes: Fakes): Promise<Side> {
  const [folder, port] = [freshFolder(), await freePort()];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  restForever(folder);
  const server = await startServer(folder, fakes, port);
  await pause(500);
  return { server, targets };
}

export const accept: Measure = async (scale) => {
  const what = "webhooks stored ÷ accepted without storing, 64 connections";
  const against = (side: (fakes: Fakes) => Promise<Side>) => async (fakes: Fakes) =>
    [await side(fakes), await openDoor("nothing", fakes)] as [Side, Side];
  const door = await compared(
    scale,
    against((fakes) => openDoor("grouped", fakes)),
  );
  const server = await compared(scale, against(wholeServer));
  const ceiling = await compared(scale, async (fakes) => [await openDoor("grouped", fakes), await ceilingDoor(fakes)]);
  const detail = ({ a, b, p99, cpuUs }: Rates) => ({
    durablePerSecond: a,
    withoutStoringPerSecond: b,
    durableP99Ms: p99,
    cpuUs,
  });
  return [
    bounded({ name: "accept", what, figure: door.ratio, unit: "", atLeast: 0.6, detail: detail(door) }),
    {
      name: "accept-server",
      what: "the same for the whole server, with its worker running",
      figure: server.ratio,
      unit: "",
      detail: detail(server),
    },
    bounded({
      name: "accept-ceiling",
      what: "CPU of the durable door ÷ the ceiling's, webhooks in only",
      figure: ceiling.cpuRatio,
      unit: "",
      atMost: 1.6,
      detail: { cpuUs: ceiling.cpuUs },
    }),
  ];
};

/** Typical sync of a disk without a battery-backed cache, ms; `lone` measures this disk's. */
const SYNC_MS = 2;

/** A shared commit for all waiting requests compared with one commit each. */
export const grouped: Measure = async (scale) => [
  bounded({ ...(await sharing(scale, SYNC_MS)), name: "grouped", atLeast: 6 }),
  { ...(await sharing(scale, 0)), name: "grouped-here" },
];

async function sharing(scale: Scale, syncMs: number) {
  const { ratio, a, b, cpuUs } = await compared(scale, async (fakes) => [
    await openDoor("grouped", fakes, syncMs),
    await openDoor("single", fakes, syncMs),
  ]);
  const disk = syncMs > 0 ? `with syncs slowed by ${syncMs} ms` : "on this disk";
  const what = `shared commits ÷ one commit per request, ${disk}`;
  return { what, figure: ratio, unit: "", detail: { groupedPerSecond: a, singlePerSecond: b, cpuUs } };
}
