import { pause } from "gangway-sandbox/demo/waiting";
import type { LoadResult } from "../load.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";
import { openRig } from "./rig.ts";

const SECONDS: Record<Scale, number> = { quick: 10, usual: 30, long: 600 };
/** A little above the promised rate. */
const PER_SECOND = 320;
const MESSAGES: Record<Scale, number> = { quick: 20_000, usual: 40_000, long: 1_000_000 };
const AT_ONCE = 5_000;

export const sustained: Measure = async (scale) => {
  const rig = await openRig();
  await rig.carry(4_000);
  await rig.server.ask("watchLag");
  const result = await rig.load.ask<LoadResult>("steady", {
    workload: rig.workload,
    rate: PER_SECOND,
    ms: SECONDS[scale] * 1000,
  });
  const lag = await rig.server.ask<{ p99: number; most: number }>("lag");
  await rig.stop();
  const detail = { failed: result.failed, p50: result.p50, lagMost: lag.most };
  return [
    bounded({
      name: "sustained",
      what: `webhooks accepted a second, sustained for ${SECONDS[scale]} s`,
      figure: once(result.rate),
      unit: "/s",
      atLeast: 300,
      detail,
    }),
    bounded({ name: "sustained-p99", what: "time to answer, p99", figure: once(result.p99), unit: " ms", atMost: 250 }),
    bounded({
      name: "sustained-lag",
      what: "event-loop lag, p99",
      figure: once(lag.p99),
      unit: " ms",
      atMost: 50,
    }),
  ];
};

/** Whether memory grows with the number of messages carried. */
export const memory: Measure = async (scale) => {
  const rig = await openRig();
  const settled = async () => {
    await pause(3_000);
    return rig.usage();
  };
  for (let n = 0; n < 4; n++) await rig.carry(AT_ONCE);
  const before = await settled();
  for (let n = 0; n < MESSAGES[scale]; n += AT_ONCE) await rig.carry(AT_ONCE);
  const after = await settled();
  await rig.stop();
  const what = `memory growth over ${MESSAGES[scale].toLocaleString("en")} messages`;
  const detail = { before, after };
  return [
    bounded({ name: "memory", what, figure: once(after.rssMiB - before.rssMiB), unit: " MiB", atMost: 50, detail }),
  ];
};
