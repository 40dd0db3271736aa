import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import type { Workload } from "../load.ts";
import { figureOf } from "../rounds.ts";
import { freshFolder, seed, startFakes, startLoad, startServer } from "../stage.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";

const BURST = 30;
/** Multiples of the limit: calls leave in waves, and a partial wave would count the pause before it. */
const COUNT: Record<Scale, number> = { quick: 7 * BURST, usual: 14 * BURST, long: 50 * BURST };
const ROUNDS: Record<Scale, number> = { quick: 1, usual: 3, long: 3 };
const CROWD = { accounts: 1, channels: 1, chats: 400 };

interface Paced {
  burstS: number;
  perSecond: number;
  refused: number;
}

async function paced(count: number): Promise<Paced> {
  const [fakes, load, folder, port] = [await startFakes(), startLoad(), freshFolder(), await freePort(0)];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  await fakes.child.ask("set", { jitter: [2, 40] });
  const server = await startServer(folder, fakes, port);
  await pause(1_500);
  await fakes.child.ask("forget");
  const workload: Workload = {
    origins: [server.origin],
    targets,
    direction: "inbound",
    chats: CROWD.chats,
    connections: 16,
  };
  await load.ask("flood", { workload, count });
  const seen = () => fakes.child.ask<{ posted: number; refused: number }>("seen");
  while ((await seen()).posted < count) await pause(100);
  const at = await fakes.child.ask<number[]>("arrivals");
  const [first = 0, last = 0, end = 0] = [at[0], at[BURST - 1], at.at(-1)];
  const { refused } = await seen();
  for (const child of [server.child, load, fakes.child]) await child.stop();
  return { burstS: (last - first) / 1000, perSecond: ((at.length - BURST) * 1000) / (end - last), refused };
}

/** One account's backlog at a gateway that limits by a sliding second and answers in 2 to 40 ms. */
export const pace: Measure = async (scale) => {
  const all: Paced[] = [];
  for (let n = 0; n < ROUNDS[scale]; n++) all.push(await paced(COUNT[scale]));
  const of = (key: keyof Paced) => figureOf(all.map((each) => each[key]));
  return [
    bounded({
      name: "pace",
      what: "requests a second with one token, answers in 2 – 40 ms",
      figure: of("perSecond"),
      unit: "/s",
      atLeast: 28,
    }),
    bounded({ name: "pace-refused", what: "of those, refused with 429", figure: of("refused"), unit: "", atMost: 0 }),
    bounded({
      name: "pace-burst",
      what: "time until the first 30 of a burst are sent",
      figure: of("burstS"),
      unit: " s",
      atMost: 0.4,
    }),
  ];
};
