import { pause } from "../../waiting.ts";
import { freePort } from "../child.ts";
import type { Ground, Went } from "../load.ts";
import type { Usage } from "../probe.ts";
import { compare, type Figure, figureOf, type Ratio } from "../rounds.ts";
import {
  type Fakes,
  freshFolder,
  restForever,
  type Server,
  seed,
  slowDisk,
  startDoor,
  startFakes,
  startLoad,
  startServer,
} from "../stage.ts";
import type { Target } from "../webhooks.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";

const CROWD = { accounts: 200, channels: 1, chats: 20 };
const GROUND = { said: "outbound" as const, chats: CROWD.chats, connections: 64 };
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
  /** CPU a webhook, µs. */
  cpuUs: { a: Figure; b: Figure };
}

/** Two servers under the same flood, in turn. */
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
    const ground: Ground = { origin, ...GROUND, targets: side.targets };
    const before = await child.ask<Usage>("usage");
    const went = await load.ask<Went>("flood", { ground, ms: forMs });
    if (went.failed > 0) throw new Error(`${went.failed} webhooks were not taken`);
    const after = await child.ask<Usage>("usage");
    cpuUs.get(side)?.push(((after.cpuMs - before.cpuMs) * 1000) / went.answered);
    if (side === a) p99s.push(went.p99);
    return went.rate;
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
  return { ...rates, p99: figureOf(p99s), cpuUs: { a: cpu(a), b: cpu(b) } };
}

/** A door in a process of its own, and what it does with what it has proven and parsed. */
async function doorThat(keeping: string, fakes: Fakes, syncMs = 0): Promise<Side> {
  const folder = freshFolder();
  const targets = await seed(folder, fakes, "http://127.0.0.1", CROWD);
  return { server: await startDoor(keeping, folder, fakes, syncMs > 0 ? slowDisk(folder, syncMs) : {}), targets };
}

/** The server whole, whose worker looks after each webhook and finds that the account rests. */
async function wholeServer(fakes: Fakes): Promise<Side> {
  const [folder, port] = [freshFolder(), await freePort()];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  restForever(folder);
  const server = await startServer(folder, fakes, port);
  await pause(500);
  return { server, targets };
}

/** The door against the same door that keeps nothing. */
export const accept: Measure = async (scale) => {
  const what = "webhooks taken durably ÷ by the same door without storing, 64 connections";
  const against = (side: (fakes: Fakes) => Promise<Side>) => async (fakes: Fakes) =>
    [await side(fakes), await doorThat("nothing", fakes)] as [Side, Side];
  const door = await compared(
    scale,
    against((fakes) => doorThat("grouped", fakes)),
  );
  const server = await compared(scale, against(wholeServer));
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
      what: "the same by the whole server, its worker awake",
      figure: server.ratio,
      unit: "",
      detail: detail(server),
    },
  ];
};

/** A sync of an honest disk without a battery, ms; here one takes what `lone` tells. */
const SYNC_MS = 2;

/** One commit for all that wait against one commit for each. */
export const grouped: Measure = async (scale) => [
  bounded({ ...(await sharing(scale, SYNC_MS)), name: "grouped", atLeast: 6 }),
  { ...(await sharing(scale, 0)), name: "grouped-here" },
];

async function sharing(scale: Scale, syncMs: number) {
  const { ratio, a, b, cpuUs } = await compared(scale, async (fakes) => [
    await doorThat("grouped", fakes, syncMs),
    await doorThat("single", fakes, syncMs),
  ]);
  const disk = syncMs > 0 ? `where a sync takes ${syncMs} ms more` : "on this disk";
  const what = `shared commits ÷ one commit a request, ${disk}`;
  return { what, figure: ratio, unit: "", detail: { groupedPerSecond: a, singlePerSecond: b, cpuUs } };
}
