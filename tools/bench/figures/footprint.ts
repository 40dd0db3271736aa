import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import { addBacklog, addStored } from "../backlog.ts";
import { type Child, instant } from "../child.ts";
import type { Usage } from "../probe.ts";
import { figureOf } from "../rounds.ts";
import { type Crowd, freshFolder, type Server, seed, startFakes, startSmall } from "../stage.ts";
import { bounded, type Measure, type Row, type Scale } from "./figure.ts";

const ROUNDS: Record<Scale, number> = { quick: 1, usual: 2, long: 5 };
/** Time for the watch to check every channel, ms. */
const SETTLED_MS: Record<Scale, number> = { quick: 15_000, usual: 35_000, long: 65_000 };
const WAITING = 100_000;
const STORED = 1_000_000;
/** Starts after a clean stop; the first one warms the disk's cache and does not count. */
const STARTS: Record<Scale, number> = { quick: 3, usual: 5, long: 9 };

interface Idle {
  rssMiB: number;
  readyMs: number;
}

async function idle(crowd: Crowd, ms: number): Promise<Idle> {
  const [fakes, folder, port] = [await startFakes(), freshFolder(), await freePort(0)];
  await seed(folder, fakes, `http://127.0.0.1:${port}`, crowd);
  const { child, readyMs } = await startSmall(folder, fakes, port);
  await pause(ms);
  const { rssMiB } = await child.ask<Usage>("usage");
  await child.stop();
  await fakes.child.stop();
  return { rssMiB, readyMs };
}

/** Idle channels with webhooks, each checked twice a minute. */
export const idleChannels: Measure = async (scale) => {
  const few: Idle[] = [];
  const many: Idle[] = [];
  for (let n = 0; n < ROUNDS[scale]; n++) {
    few.push(await idle({ accounts: 1, channels: 1, chats: 0 }, 3_000));
    many.push(await idle({ accounts: 200, channels: 50, chats: 0 }, SETTLED_MS[scale]));
  }
  const grown = many.map(({ rssMiB }, n) => rssMiB - (few[n]?.rssMiB ?? 0));
  return [
    bounded({
      name: "idle-10000",
      what: "memory for 10,000 idle channels, with the heap limit of a 2 GiB machine",
      figure: figureOf(grown),
      unit: " MiB",
      atMost: 120,
    }),
    { name: "idle", what: "memory of an idle server", figure: figureOf(few.map(({ rssMiB }) => rssMiB)), unit: " MiB" },
    {
      name: "idle-start",
      what: "start of an empty server until ready",
      figure: figureOf(few.map(({ readyMs }) => readyMs)),
      unit: " ms",
    },
  ];
};

interface Started {
  readyS: number;
  firstS: number;
  rssMiB: number;
}

/** A restart with a large backlog. */
export const starting: Measure = async (scale): Promise<Row[]> => {
  const all: Started[] = [];
  for (let n = 0; n < ROUNDS[scale]; n++) all.push(await startOver());
  const of = (key: keyof Started) => figureOf(all.map((each) => each[key]));
  const stored = await startStored(STARTS[scale]);
  return [
    bounded({
      name: "start",
      what: "start until ready, with 100,000 waiting",
      figure: of("readyS"),
      unit: " s",
      atMost: 5,
    }),
    bounded({
      name: "start-first",
      what: "start until the first delivery",
      figure: of("firstS"),
      unit: " s",
      atMost: 6,
    }),
    bounded({
      name: "start-memory",
      what: "memory while 100,000 messages wait and are delivered",
      figure: of("rssMiB"),
      unit: " MiB",
      atMost: 256,
    }),
    bounded({
      name: "start-stored",
      what: "start until ready, with 1,000,000 delivered messages stored",
      figure: figureOf(stored),
      unit: " ms",
      atMost: 600,
    }),
  ];
};

/** Times until ready, ms, of one large database. */
async function startStored(starts: number): Promise<number[]> {
  const [fakes, folder, port] = [await startFakes(), freshFolder(), await freePort(0)];
  const crowd = { accounts: 200, channels: 1, chats: 20 };
  await seed(folder, fakes, `http://127.0.0.1:${port}`, crowd);
  addStored(folder, STORED, crowd.chats);
  const times: number[] = [];
  for (let n = 0; n <= starts; n++) {
    const { child, readyMs } = await startSmall(folder, fakes, port);
    await child.stop("SIGTERM");
    if (n > 0) times.push(readyMs);
  }
  await fakes.child.stop();
  return times;
}

async function startOver(): Promise<Started> {
  const [fakes, folder, port] = [await startFakes(), freshFolder(), await freePort(0)];
  await seed(folder, fakes, `http://127.0.0.1:${port}`, { accounts: 200, channels: 1, chats: 400 });
  addBacklog(folder, WAITING);
  await fakes.child.ask("forget");
  const startedAt = instant();
  const first = firstCall(fakes.child);
  const server = await startSmall(folder, fakes, port);
  const firstS = ((await first) - startedAt) / 1000;
  const rssMiB = await peakMemory(server, 8);
  await server.child.stop();
  await fakes.child.stop();
  return { readyS: server.readyMs / 1000, firstS, rssMiB };
}

async function firstCall(fakes: Child): Promise<number> {
  for (;;) {
    const seen = await fakes.ask<{ posted: number; sent: number }>("seen");
    if (seen.posted + seen.sent > 0) return instant();
    await pause(10);
  }
}

async function peakMemory({ child }: Server, looks: number): Promise<number> {
  let peak = 0;
  for (let n = 0; n < looks; n++) {
    await pause(1_000);
    peak = Math.max(peak, (await child.ask<Usage>("usage")).rssMiB);
  }
  return peak;
}
