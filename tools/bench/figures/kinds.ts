import { figureOf } from "../rounds.ts";
import type { Measure, Row, Scale } from "./figure.ts";
import { type Carried, CROWD, openBuild, type Rig, ratioOf, warmUp } from "./rig.ts";

const ROUND: Record<Scale, { rounds: number; count: number }> = {
  quick: { rounds: 3, count: 2_000 },
  usual: { rounds: 7, count: 4_000 },
  long: { rounds: 9, count: 12_000 },
};

/** CPU a message of another load, and of plain texts over Telegram, in turn. */
async function besidePlain(scale: Scale, name: string, what: string, other: Rig): Promise<Row[]> {
  const { rounds, count } = ROUND[scale];
  const plain = await openBuild();
  for (const rig of [other, plain]) await warmUp(rig, count / 2);
  const [own, others]: [Carried[], Carried[]] = [[], []];
  for (let n = 0; n < rounds; n++) {
    own.push(await other.carry(count));
    others.push(await plain.carry(count));
  }
  for (const rig of [other, plain]) await rig.stop();
  const cpuMs = figureOf(own.map((each) => each.cpuMs));
  return [
    { name: `${name}-cpu`, what: `CPU a message ${what}, both ways, acks included`, figure: cpuMs, unit: " ms" },
    { name, what: "the same ÷ plain texts over Telegram", figure: ratioOf(own, others, "cpuMs"), unit: "" },
  ];
}

/** Visitors' messages in and agents' messages out. */
export const webchatCost: Measure = async (scale) =>
  besidePlain(scale, "webchat", "over the web chat", await openBuild(undefined, { ...CROWD, webchat: true }));

/** Few chats, so that an edit's message is soon there. */
const MIXED_CHATS = 2;

/** Texts with quotes and buttons, edits, reactions and deletes beside them. */
export const mixedCost: Measure = async (scale) => {
  const rig = await openBuild(undefined, { ...CROWD, chats: MIXED_CHATS });
  rig.workload.mixed = true;
  return besidePlain(scale, "mixed", "with quotes, buttons, edits, reactions and deletes", rig);
};
