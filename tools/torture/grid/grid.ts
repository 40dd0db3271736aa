import { atLeast, type Figure, none } from "../figure.ts";
import { pairwise, shuffled } from "../pairwise.ts";
import type { Trial, TrialContext } from "../trial.ts";
import { ALL_CELLS, type Cell, legOf, nameOf } from "./cells.ts";
import { LEGS } from "./legs.ts";
import { type Kind, type Outcome, type Played, play } from "./play.ts";
import { chatOf, inbox, isQuiet, type Station, settled, withRetries, wordsOf } from "./station.ts";
import { openTestBed, type TestBed } from "./test-bed.ts";

/** Concurrent accounts; one in eight has a polling bot. */
const STATIONS = 80;
const POLLING = 8;
/** Bounds the length of a station's chats; scanning them would outlast the trial. */
const MAX_CELLS_PER_STATION = 40;
/** Grace period for unsettled cells. */
const GRACE_MS = 100_000;
const LOOK_MS = 250;
/** Bounds a server's idle accounts; reading their ledger would outlast the trial. */
const CELLS_PER_SERVER = 2_000;
const SLOWEST = 8;
const PROBLEMS: Record<Kind, [promise: string, words: string]> = {
  lost: ["P14", "messages lost"],
  "given up": ["P14", "messages given up without a refusal"],
  "not refused": ["P14", "contract refusals that did not end their message with the reason"],
  "not reported in the chat": ["P14", "refused edits and deletions not reported once in the chat"],
  "without its ack": ["P1", "agents' messages without their ack"],
  "twice at the gateway": ["P2", "messages twice at the gateway"],
  "twice in the chat": ["P2", "cells with more duplicates in a chat than doubtful answers"],
  "without its file": ["P14", "files missing or incomplete"],
  "a form broken": ["P14", "forms that gave no reason or did not recover"],
  late: ["P14", "cells that took too long"],
  "not played": ["P14", "cells that could not be played"],
};

/** Every kind of answer at every call: all pairs in the short run, all cells in the long one. */
export const grid: Trial = {
  name: "grid",
  async run(context): Promise<Figure[]> {
    const cells = chosen(context);
    const results: ServerResult[] = [];
    for (let n = 0; n < cells.length; n += CELLS_PER_SERVER) {
      results.push(await playOnServer(context, cells.slice(n, n + CELLS_PER_SERVER)));
      context.print(`  ${Math.min(n + CELLS_PER_SERVER, cells.length)} of ${cells.length} cells`);
    }
    return figuresOf(results, context);
  },
};

interface ServerResult {
  outcomes: Outcome[];
  disordered: string[];
  died: number;
  accepted: number;
  holes: number;
}

async function playOnServer(context: TrialContext, cells: Cell[]): Promise<ServerResult> {
  const testBed = await openTestBed(context, { CALLS: "512" });
  let died = 0;
  void testBed.process.ended().then(() => {
    died += 1;
  });
  try {
    await warmUp(await testBed.open());
    const outcomes = await playAll(testBed, cells, context);
    const { ledger, stations } = testBed;
    const sums = { accepted: ledger.sum("accepted"), holes: ledger.sum("hole") };
    return { outcomes, disordered: stations.flatMap(disorderOf), died, ...sums };
  } finally {
    await testBed.close();
  }
}

function chosen({ short, cells, random }: TrialContext): Cell[] {
  if (!cells) return short ? pairwise(ALL_CELLS, random) : shuffled(ALL_CELLS, random);
  return cells.map((name) => {
    const cell = ALL_CELLS.find((each) => nameOf(each) === name);
    if (!cell) throw new Error(`unknown cell: ${name}`);
    return cell;
  });
}

type Tagged = { cell: Cell; tag: string };

/** Hands out cells. Polling stations get polling cells first: no one else can play them. */
function dealer(cells: Cell[]) {
  const left: Tagged[] = cells.map((cell, n) => ({ cell, tag: `g${n}` }));
  return (polls: boolean): Tagged | undefined => {
    const own = polls ? "polling" : "webhook";
    const first = left.findIndex(({ cell }) => polls && legOf(cell).only === own);
    const n = first >= 0 ? first : left.findIndex(({ cell }) => (legOf(cell).only ?? own) === own);
    return n < 0 ? undefined : left.splice(n, 1)[0];
  };
}

/** Once the gateway has answered a call with an object, the server takes an empty answer for a proxy's. */
async function warmUp(station: Station): Promise<void> {
  for (const leg of LEGS.filter(({ vague }) => vague)) {
    const tag = `warm-up, ${leg.name}`;
    const effects = await leg.act(station, tag, (await leg.prepare?.(station, tag)) ?? 0);
    await settled(station, () => effects.every(({ count }) => count() > 0));
  }
}

async function playAll(testBed: TestBed, cells: Cell[], { print }: TrialContext): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const unsettled: { station: Station; played: Played }[] = [];
  const next = dealer(cells);
  const record = async ({ judge }: Played) => {
    const outcome = await judge();
    outcomes.push(outcome);
    for (const { kind, note } of outcome.problems) print(`  ${kind}: "${outcome.cell}": ${note}`);
  };
  const work = async (polls: boolean) => {
    let station: Station | undefined;
    let plays = 0;
    for (let one = next(polls); one; one = next(polls)) {
      if (plays++ % MAX_CELLS_PER_STATION === 0) station = undefined;
      station ??= await withRetries(() => testBed.open(polls));
      const played = await play(station, one.cell, one.tag);
      if (played.settled) await record(played);
      else {
        // An unsettled cell must not delay the next: open a new station.
        unsettled.push({ station, played });
        station = undefined;
      }
    }
  };
  const workers = Math.min(STATIONS, cells.length);
  // Worker 0 always polls, or the polling cells would be left.
  await Promise.all(Array.from({ length: workers }, (_, n) => work(n % POLLING === 0)));
  await Promise.all([work(false), work(true)]);
  if (unsettled.length > 0) print(`  ${unsettled.length} cells have not settled; waiting`);
  const end = Date.now() + GRACE_MS;
  while (unsettled.some(({ station }) => !isQuiet(station)) && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  for (const { played } of unsettled) await record(played);
  return outcomes;
}

function figuresOf(results: ServerResult[], context: TrialContext): Figure[] {
  const outcomes = results.flatMap((each) => each.outcomes);
  const sum = (of: (each: ServerResult) => number) => results.reduce((all, each) => all + of(each), 0);
  const hits = outcomes.reduce((all, outcome) => all + outcome.hits, 0);
  context.injected("faults at calls", hits);
  const having = (kind: Kind) => outcomes.filter(({ problems }) => problems.some((problem) => problem.kind === kind));
  for (const { cell, ms } of outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
    context.print(`  ${Math.round(ms / 100) / 10} s: "${cell}"`);
  for (const note of results.flatMap(({ disordered }) => disordered)) context.print(`  ${note}`);
  return [
    atLeast("P14", `cells of faults played, ${hits} faults met`, outcomes.length, 1),
    ...(Object.keys(PROBLEMS) as Kind[]).map((kind) => none(...PROBLEMS[kind], having(kind).length)),
    none(
      "P3",
      "chats out of order",
      sum(({ disordered }) => disordered.length),
    ),
    none(
      "P1",
      `holes in the ledger of ${sum(({ accepted }) => accepted)} accepted`,
      sum(({ holes }) => holes),
    ),
    none(
      "P1",
      "times the server died",
      sum(({ died }) => died),
    ),
  ];
}

/** Checks that first copies arrive in the order sent, at the gateway and in the chat. */
function disorderOf(station: Station): string[] {
  const atGateway = inbox(station).map(wordsOf);
  const chat = chatOf(station).flatMap(({ from, text }) => (from === "bot" ? [text] : []));
  return [misplaced(atGateway, station.inbound), misplaced(chat, station.outbound)].filter((note) => note !== "");
}

function misplaced(seen: string[], said: string[]): string {
  const first = new Map(seen.map((text, n) => [text, seen.indexOf(text) === n ? n : seen.indexOf(text)]));
  const positions = said.flatMap((text) => first.get(text) ?? []);
  const n = positions.findIndex((position, at) => at > 0 && position < (positions[at - 1] ?? 0));
  return n < 0 ? "" : `"${said.filter((text) => first.has(text))[n]}" arrived before an earlier message`;
}
