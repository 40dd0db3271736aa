import { figureOf } from "../rounds.ts";
import type { Measure, Scale } from "./figure.ts";
import { type Carried, CROWD, openBuild, ratioOf, warmUp } from "./rig.ts";

const ROUND: Record<Scale, { rounds: number; count: number }> = {
  quick: { rounds: 3, count: 2_000 },
  usual: { rounds: 7, count: 4_000 },
  long: { rounds: 9, count: 12_000 },
};

/** Visitors' messages in and agents' messages out over the web chat, and the same over Telegram, in turn. */
export const webchatCost: Measure = async (scale) => {
  const { rounds, count } = ROUND[scale];
  const web = await openBuild(undefined, { ...CROWD, webchat: true });
  const telegram = await openBuild();
  for (const rig of [web, telegram]) await warmUp(rig, count / 2);
  const [own, others]: [Carried[], Carried[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    own.push(await web.carry(count));
    others.push(await telegram.carry(count));
  }
  for (const rig of [web, telegram]) await rig.stop();
  const cpuMs = figureOf(own.map((each) => each.cpuMs));
  return [
    {
      name: "webchat-cpu",
      what: "CPU a message over the web chat, both ways, acks included",
      figure: cpuMs,
      unit: " ms",
    },
    { name: "webchat", what: "the same ÷ over Telegram", figure: ratioOf(own, others, "cpuMs"), unit: "" },
  ];
};
