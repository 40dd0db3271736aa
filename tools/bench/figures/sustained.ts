import { pause } from "../../waiting.ts";
import type { Went } from "../load.ts";
import { stand } from "./end-to-end.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";

const SECONDS: Record<Scale, number> = { quick: 10, usual: 30, long: 600 };
/** A little above what is promised. */
const PER_SECOND = 320;
const MESSAGES: Record<Scale, number> = { quick: 20_000, usual: 40_000, long: 1_000_000 };
const AT_ONCE = 5_000;

/** Accepting and delivering at a steady rate. */
export const sustained: Measure = async (scale) => {
  const scene = await stand();
  await scene.carry(4_000);
  await scene.server.ask("watchLag");
  const went = await scene.load.ask<Went>("steady", {
    ground: scene.ground,
    rate: PER_SECOND,
    ms: SECONDS[scale] * 1000,
  });
  const lag = await scene.server.ask<{ p99: number; most: number }>("lag");
  await scene.stop();
  const detail = { failed: went.failed, p50: went.p50, lagMost: lag.most };
  return [
    bounded({
      name: "sustained",
      what: `accepted a second, sustained for ${SECONDS[scale]} s`,
      figure: once(went.rate),
      unit: "/s",
      atLeast: 300,
      detail,
    }),
    bounded({ name: "sustained-p99", what: "answered within, p99", figure: once(went.p99), unit: " ms", atMost: 250 }),
    bounded({
      name: "sustained-lag",
      what: "lag of the event loop, p99",
      figure: once(lag.p99),
      unit: " ms",
      atMost: 50,
    }),
  ];
};

/** Whether memory grows with what has passed through. */
export const memory: Measure = async (scale) => {
  const scene = await stand();
  const settled = async () => {
    await pause(3_000);
    return scene.usage();
  };
  for (let n = 0; n < 4; n++) await scene.carry(AT_ONCE);
  const before = await settled();
  for (let n = 0; n < MESSAGES[scale]; n += AT_ONCE) await scene.carry(AT_ONCE);
  const after = await settled();
  await scene.stop();
  const what = `growth of memory over ${MESSAGES[scale].toLocaleString("en")} messages`;
  const detail = { before, after };
  return [
    bounded({ name: "memory", what, figure: once(after.rssMiB - before.rssMiB), unit: " MiB", atMost: 50, detail }),
  ];
};
