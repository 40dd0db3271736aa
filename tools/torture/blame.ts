import type { MessengerFault } from "gangway-sandbox";
import { becomes } from "gangway-sandbox/demo/waiting";
import { atMost, exactly, type Figure, none } from "./figure.ts";
import { chatOf, inbox, reply, type Station, say, wordsOf } from "./grid/station.ts";
import { openTestBed } from "./grid/test-bed.ts";
import { countOn, isUnknown } from "./judge.ts";
import { POISON } from "./poison.ts";
import { supervise } from "./supervisor.ts";
import type { Trial, TrialContext } from "./trial.ts";

/** Why an account's messages wait, at the gateway or at the messenger. */
interface Wait {
  name: string;
  gateway?: object;
  messenger?: Partial<MessengerFault>;
}
const ALWAYS = { times: 1_000_000 };
const WAITS: Wait[] = [
  { name: "the gateway hangs", gateway: { ...ALWAYS, hang: true } },
  { name: "the gateway is slow", gateway: { ...ALWAYS, delayMs: 8_000 } },
  { name: "the gateway says too many", gateway: { ...ALWAYS, status: 429, retryAfter: 1 } },
  { name: "the messenger hangs", messenger: { ...ALWAYS, hang: true } },
  { name: "the messenger is slow", messenger: { ...ALWAYS, delayMs: 8_000 } },
  { name: "the messenger says too many", messenger: { ...ALWAYS, status: 429, retryAfter: 1 } },
];
/** An account without faults must not be affected. */
const BYSTANDER: Wait = { name: "nobody waits" };
const KILLS = 7;
const [YOUNGEST_MS, OLDEST_MS] = [1_000, 5_000];
/** Extra age of each kill: after several crashes a job backs off, and an early kill would find no call under way. */
const RESTS_MS = [0, 0, 1_000, 2_000, 4_000];
/** Per direction and account. */
const MESSAGES = 4;
/** Limits for a poison message: crashes it may cause, and seconds it may block its chat. */
const MAX_CRASHES = 5;
const MAX_BLOCKED_S = 60;
/** Time to recover after the faults; a suspect's longest backoff is half a minute. */
const WELL_MS = 120_000;

/** A message that only waits while the server dies is not blamed; the poison message is parked. */
export const innocentWaiting: Trial = {
  name: "innocent waiting",
  async run(context): Promise<Figure[]> {
    const runs = context.short ? [WAITS] : [WAITS, ...WAITS.map((wait) => [wait])];
    const figures: Figure[] = [];
    for (const waits of runs) figures.push(...(await playRun(context, waits)));
    return figures;
  },
};

type Waiting = Station & Wait;

async function playRun(context: TrialContext, waits: Wait[]): Promise<Figure[]> {
  const { stations, victim, server, supervisor, close } = await openStations(context, waits);
  try {
    const planned = stations.flatMap(planFaults);
    for (let n = 0; n < MESSAGES; n++) for (const station of stations) await talk(station, n);
    for (let n = 0; n < KILLS; n++) {
      const age = YOUNGEST_MS + context.random() * (OLDEST_MS - YOUNGEST_MS) + (RESTS_MS[n] ?? 0);
      await new Promise((resolve) => setTimeout(resolve, age));
      await server.kill("SIGKILL");
      await supervisor.restarted();
    }
    context.injected("kills", KILLS);
    const before = supervisor.deaths();
    const began = Date.now();
    say(victim, "poison from a customer");
    say(victim, "next of the customer");
    for (const station of stations) if (isBystander(station)) await talk(station, MESSAGES);
    const goesOn = await becomes(
      () => arrived(victim, "next of the customer") > 0,
      MAX_BLOCKED_S * 2_000 * context.slack,
    );
    const heldUp = (Date.now() - began) / 1000;
    const crashes = supervisor.deaths() - before;
    for (const plan of planned) plan.end();
    await becomes(() => stations.every(isDone), WELL_MS * context.slack);
    return [
      ...(await judged(stations, KILLS + crashes, context)),
      ...poisoned(crashes, goesOn ? heldUp : Number.POSITIVE_INFINITY, await givenUp(victim), context.slack),
    ];
  } finally {
    await close();
  }
}

async function openStations(context: TrialContext, waits: Wait[]) {
  const testBed = await openTestBed(context, {}, [POISON]);
  const supervisor = supervise(testBed.process);
  const close = async () => {
    await supervisor.stop();
    await testBed.close();
  };
  try {
    const stations: Waiting[] = [];
    for (const wait of [...waits, BYSTANDER]) stations.push({ ...(await testBed.open()), ...wait });
    return { stations, victim: await testBed.open(), server: testBed.process, supervisor, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function planFaults({ crm, telegram, bot, gateway, messenger }: Waiting) {
  if (gateway) return [crm.sandbox.faults.plan({ operation: "sendMessage", ...gateway })];
  return messenger ? [telegram.faults.plan({ method: "sendMessage", bot: bot.id, ...messenger })] : [];
}

const isBystander = ({ gateway, messenger }: Wait) => !gateway && !messenger;

/** Writes in the direction that waits, or in both. */
async function talk(station: Waiting, n: number): Promise<void> {
  if (!station.messenger) say(station, `in ${n}`);
  if (!station.gateway) await reply(station, `out ${n}`);
}

const arrived = (station: Station, text: string) =>
  inbox(station).filter((message) => wordsOf(message) === text).length;
const shown = (station: Station, text: string) =>
  chatOf(station).filter((m) => m.from === "bot" && m.text === text).length;
const givenUp = async ({ visit }: Station) => countOn(await visit.lookAtFailed(), "Not delivered");

const statusOf = ({ crm }: Station, text: string) =>
  crm.sandbox.world.messages.find((message) => message.text === text)?.status ?? "";
const isDone = (station: Waiting) =>
  station.inbound.every((text) => arrived(station, text) > 0) &&
  station.outbound.every((text) => !["sending", "sent", ""].includes(statusOf(station, text)));

const unknownOf = ({ crm }: Station) => crm.sandbox.world.messages.filter(isUnknown).map(({ text }) => text ?? "");

async function judged(stations: Waiting[], deaths: number, { print }: TrialContext): Promise<Figure[]> {
  const sums = { lost: 0, dead: 0, unknown: 0, atGateway: 0, inChats: 0 };
  for (const station of stations) {
    const unknown = unknownOf(station);
    const known = station.outbound.filter((text) => !unknown.includes(text));
    const lost = [
      ...station.inbound.filter((text) => arrived(station, text) === 0),
      ...known.filter((text) => shown(station, text) === 0),
    ];
    const failed = known.filter((text) => statusOf(station, text) === "failed").length;
    const dead = (await givenUp(station)) - unknown.length;
    if (lost.length + dead + failed > 0)
      print(`  ${station.name}: missing: ${lost.join(", ")}; given up: ${dead}, reported as failed: ${failed}`);
    sums.lost += lost.length;
    sums.dead += Math.max(dead, failed);
    sums.unknown = Math.max(sums.unknown, unknown.length);
    sums.atGateway += station.inbound.reduce((sum, text) => sum + Math.max(0, arrived(station, text) - 1), 0);
    sums.inChats += station.outbound.reduce((sum, text) => sum + Math.max(0, shown(station, text) - 1), 0);
  }
  const names = stations.length === 2 ? `: ${stations[0]?.name}` : "";
  return [
    none("P1", `messages lost that waited through ${KILLS} kills${names}`, sums.lost),
    none("P17", `messages given up that only waited${names}`, sums.dead),
    atMost("P17", `messages of one account reported as unknown, ${deaths} deaths${names}`, sums.unknown, deaths / 2),
    none("P2", `duplicates at the gateway${names}`, sums.atGateway),
    atMost("P2", `duplicates in chats, ${KILLS} kills${names}`, sums.inChats, KILLS * stations.length),
  ];
}

const poisoned = (crashes: number, heldUp: number, parked: number, slack: number): Figure[] => [
  atMost("P17", "crashes before the poison message is parked", crashes, MAX_CRASHES),
  exactly("P17", "messages parked in its account", parked, 1),
  atMost("P17", "time until its chat goes on", heldUp, MAX_BLOCKED_S * slack, " s"),
];
