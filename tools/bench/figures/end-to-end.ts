import { pause } from "gangway-sandbox/demo/waiting";
import type { Usage } from "../probe.ts";
import type { Summary } from "../profile.ts";
import { figureOf } from "../rounds.ts";
import { SMALL_MACHINE } from "../stage.ts";
import { bounded, type Measure, once, type Row, type Scale } from "./figure.ts";
import { type Carried, CROWD, openBuild, openCeiling, type Rig, ratioOf, warmUp } from "./rig.ts";
import { workRows } from "./work.ts";

const ROUND: Record<Scale, { rounds: number; count: number }> = {
  quick: { rounds: 3, count: 2_000 },
  usual: { rounds: 7, count: 4_000 },
  long: { rounds: 9, count: 12_000 },
};
/** The ceiling costs 0.17–0.19 ms a message on two quiet cores; above this the machine is busy and no figure counts. */
const MAX_CEILING_MS = 0.25;

/** Both directions with acks, from the first webhook in to the last call out; all sides in turn. */
export const endToEnd: Measure = async (scale, { against, accounts }): Promise<Row[]> => {
  const { rounds, count } = ROUND[scale];
  // One heap limit for all sides: collecting more often costs CPU.
  const flags = accounts ? SMALL_MACHINE : [];
  const product = await openBuild(undefined, CROWD, flags);
  const ceiling = await openCeiling();
  const other = against ? await openBuild(against, CROWD, flags) : undefined;
  const crowd = accounts ? await openBuild(undefined, crowdOf(accounts), flags) : undefined;
  const rigs = [product, ceiling, other, crowd].filter((rig) => rig !== undefined);
  for (const rig of rigs) await warmUp(rig, count / 2);
  const carried = new Map<Rig | undefined, Carried[]>(rigs.map((rig) => [rig, []]));
  for (let n = 0; n < rounds; n++) for (const rig of rigs) carried.get(rig)?.push(await rig.carry(count));
  const of = (rig?: Rig): Carried[] => carried.get(rig) ?? [];
  const memory = await crowd?.usage();
  await other?.stop();
  const crowdIdle = crowd && (await idleCpu(crowd));
  const crowdProfile = crowd && (await profiled(crowd, count));
  await crowd?.stop();
  const profile = await profiled(product, count);
  const work = await workRows(product, ceiling, count);
  for (const rig of [product, ceiling]) await rig.stop();
  return [
    ...productRows(of(product), profile),
    ...ceilingRows(of(product), of(ceiling)),
    ...work,
    ...(other ? againstRows(of(product), of(other)) : []),
    ...(accounts && memory && crowdIdle !== undefined && crowdProfile
      ? crowdRows(accounts, of(product), of(crowd), { memory, idleMs: crowdIdle, profile: crowdProfile })
      : []),
  ];
};

/** Longer than the interval between two checks of a channel, s. */
const IDLE_SECONDS = 31;

/** CPU a second without messages, ms. */
async function idleCpu(rig: Rig): Promise<number> {
  const before = await rig.usage();
  await pause(IDLE_SECONDS * 1000);
  return ((await rig.usage()).cpuMs - before.cpuMs) / IDLE_SECONDS;
}

async function profiled(rig: Rig, count: number): Promise<Summary> {
  await rig.server.ask("profile");
  await rig.carry(count);
  return rig.server.ask<Summary>("profiled");
}

/** Fewer customers for many accounts: each writes once before the first round. */
const MAX_CHATS = 10_000;
const crowdOf = (accounts: number) => ({
  ...CROWD,
  accounts,
  chats: Math.max(1, Math.min(CROWD.chats, Math.floor(MAX_CHATS / accounts))),
});

function productRows(own: Carried[], profile: Summary): Row[] {
  const figure = (key: keyof Carried) => figureOf(own.map((each) => each[key]));
  const oneCore = figureOf(own.map((each) => 1000 / each.cpuMs));
  const what = "messages a second end to end, 200 accounts, both ways";
  const helpers = { loadCpuMs: figure("loadMs"), fakesCpuMs: figure("fakesMs") };
  return [
    bounded({
      name: "end-to-end-core",
      what: `${what}, on a core of its own`,
      figure: oneCore,
      unit: "/s",
      atLeast: 1_500,
    }),
    {
      name: "end-to-end",
      what: "the same beside the load and both fakes, wall clock",
      figure: figure("perSecond"),
      unit: "/s",
    },
    {
      name: "end-to-end-cpu",
      what: "CPU a message, acks included",
      figure: figure("cpuMs"),
      unit: " ms",
      detail: { ...profile, ...helpers },
    },
    { name: "load-cpu", what: "of the load and both fakes beside it", figure: helperCost(own), unit: " ms" },
  ];
}

const helperCost = (own: Carried[]) => figureOf(own.map(({ loadMs, fakesMs }) => loadMs + fakesMs));

function ceilingRows(own: Carried[], ceiling: Carried[]): Row[] {
  const cpuMs = figureOf(ceiling.map((each) => each.cpuMs));
  if (cpuMs.value > MAX_CEILING_MS)
    process.stderr.write(`void: the machine is busy; the ceiling costs ${cpuMs.value} ms, not ${MAX_CEILING_MS} ms\n`);
  return [
    bounded({
      name: "ceiling-cpu",
      what: "CPU a message of the ceiling, a bare relay without limiter, retries or validation; above the bound the run is void",
      figure: cpuMs,
      unit: " ms",
      atMost: MAX_CEILING_MS,
      detail: { perSecond: figureOf(ceiling.map((each) => each.perSecond)), helpersCpuMs: helperCost(ceiling) },
    }),
    bounded({
      name: "ceiling",
      what: "CPU a message ÷ the ceiling's",
      figure: ratioOf(own, ceiling, "cpuMs"),
      unit: "",
      atMost: 2,
    }),
  ];
}

function againstRows(own: Carried[], others: Carried[]): Row[] {
  return [
    { name: "against-cpu", what: "CPU a message ÷ another build's", figure: ratioOf(own, others, "cpuMs"), unit: "" },
    {
      name: "against",
      what: "messages a second ÷ another build's",
      figure: ratioOf(own, others, "perSecond"),
      unit: "",
    },
  ];
}

const MAX_CROWD = { accounts: 10_000, cpuRatio: 1.25, memoryMiB: 350 };

interface CrowdCost {
  memory: Usage;
  idleMs: number;
  profile: Summary;
}

function crowdRows(accounts: number, own: Carried[], crowd: Carried[], cost: CrowdCost): Row[] {
  const many = `${accounts.toLocaleString("en")} accounts`;
  const atMost = (most: number, row: Row): Row =>
    accounts === MAX_CROWD.accounts ? bounded({ ...row, atMost: most }) : row;
  return [
    atMost(MAX_CROWD.cpuRatio, {
      name: `accounts-${accounts}`,
      what: `CPU a message with ${many} ÷ with 200`,
      figure: ratioOf(crowd, own, "cpuMs"),
      unit: "",
      detail: { cpuMs: figureOf(crowd.map((each) => each.cpuMs)), ...cost.profile },
    }),
    {
      name: `accounts-${accounts}-idle`,
      what: `CPU a second with ${many} and no message: each channel is checked twice a minute`,
      figure: once(cost.idleMs),
      unit: " ms",
    },
    atMost(MAX_CROWD.memoryMiB, {
      name: `accounts-${accounts}-memory`,
      what: `memory with ${many}, after the load, with the heap limit of a 2 GiB machine`,
      figure: once(cost.memory.rssMiB),
      unit: " MiB",
      detail: cost.memory,
    }),
  ];
}
