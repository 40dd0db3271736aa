import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import { instant } from "../child.ts";
import type { Workload } from "../load.ts";
import { compare, figureOf, quantile } from "../rounds.ts";
import { freshFolder, type Server, seed, startDoor, startFakes, startLoad, startServer } from "../stage.ts";
import { bounded, type Measure, type Scale } from "./figure.ts";

const CROWD = { accounts: 50, channels: 1, chats: 20 };
/** Long enough for the previous message to be delivered, ms. */
const GAP_MS = 15;
/** After 300 messages of `warm` the ratio still varies by half; after 3,000 by a fifth. */
const ROUND: Record<Scale, { rounds: number; count: number; warm: number }> = {
  quick: { rounds: 3, count: 60, warm: 300 },
  usual: { rounds: 7, count: 150, warm: 3_000 },
  long: { rounds: 9, count: 400, warm: 3_000 },
};

/** Median time of a synced page write on this disk, ms. */
function syncMs(folder: string): number {
  const file = openSync(join(folder, "sync.tmp"), "w");
  const page = Buffer.alloc(4096);
  const times = Array.from({ length: 50 }, (_, n) => {
    const beganAt = instant();
    writeSync(file, page, 0, page.length, n * page.length);
    fdatasyncSync(file);
    return instant() - beganAt;
  });
  closeSync(file);
  return quantile(times, 0.5);
}

/** From an agent's webhook in to the messenger call out, on an idle machine. */
export const lone: Measure = async (scale) => {
  const { rounds, count, warm } = ROUND[scale];
  const [fakes, load, folder, port] = [await startFakes(), startLoad(), freshFolder(), await freePort(0)];
  const targets = await seed(folder, fakes, `http://127.0.0.1:${port}`, CROWD);
  const server = await startServer(folder, fakes, port);
  const proxy = await startDoor("proxy", folder, fakes);
  // After a start every chat pauses for a second.
  await pause(1_500);
  const p99s: number[] = [];
  const syncs: number[] = [];
  const median = async ({ origin }: Server, messages: number) => {
    await fakes.child.ask("forget");
    const workload: Workload = {
      origins: [origin],
      targets,
      direction: "outbound",
      chats: CROWD.chats,
      connections: 1,
    };
    const left = await load.ask<[number, number][]>("lone", { workload, count: messages, gapMs: GAP_MS });
    await pause(100);
    const came = new Map(await fakes.child.ask<[number, number][]>("traced"));
    const times = left.map(([n, at]) => (came.get(n) ?? Number.POSITIVE_INFINITY) - at);
    if (origin === server.origin) {
      p99s.push(quantile(times, 0.99));
      syncs.push(syncMs(folder));
    }
    return quantile(times, 0.5);
  };
  for (const side of [server, proxy]) await median(side, warm);
  p99s.length = syncs.length = 0;
  const { ratio, a, b } = await compare(
    rounds,
    () => median(server, count),
    () => median(proxy, count),
  );
  for (const child of [server.child, proxy.child, load, fakes.child]) await child.stop();
  const detail = { medianMs: a, proxyMedianMs: b, oneSyncMs: figureOf(syncs) };
  return [
    bounded({
      name: "lone",
      what: "a lone message, webhook in to call out ÷ a bare proxy, p50",
      figure: ratio,
      unit: "",
      atMost: 2.2,
      detail,
    }),
    bounded({ name: "lone-p99", what: "the same, p99", figure: figureOf(p99s), unit: " ms", atMost: 50 }),
  ];
};
