import { freePort } from "gangway-sandbox";
import { pause } from "gangway-sandbox/demo/waiting";
import { built, startChild } from "../child.ts";
import type { Usage } from "../probe.ts";
import { freshFolder, seed, startFakes, startSmall } from "../stage.ts";
import { bounded, type Measure, once, type Row, type Scale } from "./figure.ts";
import { addWebChats, COLLECTED_MS, VISITORS } from "./streams.ts";

const WATCHED_MS: Record<Scale, number> = { quick: 30_000, usual: 60_000, long: 240_000 };
const SETTLED_MS = 3_000;

interface Stayed {
  requests: number;
  failed: number;
  p50: number;
  p99: number;
}

/** 10,000 visitors who have written, each on a page with the chat, while nobody says anything. `limit`: of streams. */
async function visited(scale: Scale, limit?: number) {
  const [fakes, folder, port] = [await startFakes(), freshFolder(), await freePort(0)];
  await seed(folder, fakes, `http://127.0.0.1:${port}`, { accounts: 1, channels: 1, chats: 0 });
  const chats = await addWebChats(folder, true);
  const limits: Record<string, string> = limit === undefined ? {} : { STREAMS: String(limit) };
  const { child } = await startSmall(folder, fakes, port, { ...limits, TRUSTED_PROXIES: "1" });
  await pause(SETTLED_MS);
  const usage = () => child.ask<Usage>("usage");
  const visitors = chats.map(() => startChild([built("./visitors.js")]));
  const began = performance.now();
  const streams = await Promise.all(chats.map((chat, n) => visitors[n]?.ask<number>("load", { ...chat, port })));
  const loadS = (performance.now() - began) / 1000;
  await pause(COLLECTED_MS);
  const full = await usage();
  const ms = WATCHED_MS[scale];
  const stayed = await Promise.all(visitors.map((each) => each.ask<Stayed>("stay", { ms })));
  const after = await usage();
  for (const each of [child, fakes.child, ...visitors]) await each.stop();
  const sum = (of: (each: Stayed) => number) => stayed.reduce((all, each) => all + of(each), 0);
  return {
    ...{ streams: streams.reduce<number>((all, each) => all + (each ?? 0), 0), loadS, rssMiB: after.rssMiB },
    cpu: ((after.cpuMs - full.cpuMs) / ms) * 100,
    ...{ perSecond: (sum(({ requests }) => requests) * 1000) / ms, failed: sum(({ failed }) => failed) },
    ...{ p50: Math.max(...stayed.map(({ p50 }) => p50)), p99: Math.max(...stayed.map(({ p99 }) => p99)) },
  };
}

export const visitors: Measure = async (scale) => {
  const all = await visited(scale, 2 * VISITORS);
  const some = await visited(scale);
  const rowsOf = (name: string, how: string, { streams, rssMiB, cpu, p50, ...detail }: typeof all): Row[] => [
    bounded({
      ...{ name: `visitors${name}`, what: `memory of a server with 10,000 visitors on their pages${how}` },
      ...{ figure: once(rssMiB), unit: " MiB", atMost: 500, detail: { streams, ...detail } },
    }),
    bounded({
      ...{ name: `visitors${name}-cpu`, what: `CPU for them${how}` },
      ...{ figure: once(cpu), unit: " %", atMost: 60 },
    }),
    bounded({
      ...{ name: `visitors${name}-p50`, what: `the middle of what their pages ask${how}` },
      ...{ figure: once(p50), unit: " ms", atMost: 25 },
    }),
  ];
  return [
    ...rowsOf("", ", each with a stream", all),
    ...rowsOf("-polling", ", 4,000 streams, and the rest polls", some),
    {
      ...{ name: "visitors-ratio", what: "CPU with 4,000 streams, while the rest polls, against a stream for each" },
      ...{ figure: once(some.cpu / all.cpu), unit: " times" },
    },
  ];
};
