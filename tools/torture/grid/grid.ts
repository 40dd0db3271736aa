import { atLeast, type Figure, none } from "../figure.ts";
import { pairwise, shuffled } from "../pairwise.ts";
import type { Bench, Trial } from "../trial.ts";
import { ALL_CELLS, type Cell, legOf, nameOf } from "./cells.ts";
import { type Field, openField } from "./field.ts";
import { LEGS } from "./legs.ts";
import { type Kind, type Outcome, type Played, play } from "./play.ts";
import { chatOf, heard, isQuiet, persistently, type Station, settled, wordsOf } from "./station.ts";

/** Accounts side by side; one in eight has a bot that polls. */
const STATIONS = 80;
const POLLING = 8;
/** Then an account's chats have grown long: looking through them would take more than the trial. */
const MOST_CELLS = 40;
/** For what is stuck to come right after all. */
const LAST_MS = 100_000;
const LOOK_MS = 250;
/** Then a server has some hundred accounts that are never asked again, and reading its ledger would take more than the trial. */
const CELLS_OF_A_FIELD = 2_000;
/** So many are told, with how long they took. */
const SLOWEST = 8;
const PROBLEMS: Record<Kind, [promise: string, words: string]> = {
  lost: ["P14", "messages lost"],
  "given up": ["P14", "messages given up though nobody refused them"],
  "not refused": ["P14", "refusals of the contract that did not end their message with its reason"],
  "not told in the chat": ["P14", "refused edits and deletions that the agent does not read of once in the chat"],
  "without its ack": ["P1", "agents' messages without their ack"],
  "twice at the gateway": ["P2", "messages twice at the gateway"],
  "twice in the chat": ["P2", "cells with more duplicates in a chat than doubtful answers"],
  "without its file": ["P14", "files that are not there"],
  "a form broken": ["P14", "forms that gave no reason, or did not work after the fault"],
  late: ["P14", "cells that took too long"],
  "not played": ["P14", "cells that could not be played"],
};

/** Every kind of answer at every call: pairs of them in the short run, all in the long one. */
export const grid: Trial = {
  name: "grid",
  async run(bench): Promise<Figure[]> {
    const cells = chosen(bench);
    const seen: Seen[] = [];
    for (let n = 0; n < cells.length; n += CELLS_OF_A_FIELD) {
      seen.push(await playField(bench, cells.slice(n, n + CELLS_OF_A_FIELD)));
      bench.print(`  ${Math.min(n + CELLS_OF_A_FIELD, cells.length)} of ${cells.length} cells`);
    }
    return figuresOf(seen, bench);
  },
};

/** What came of the cells that one server has met. */
interface Seen {
  outcomes: Outcome[];
  disordered: string[];
  died: number;
  accepted: number;
  holes: number;
}

async function playField(bench: Bench, cells: Cell[]): Promise<Seen> {
  const field = await openField(bench, { CALLS: "512" });
  let died = 0;
  void field.process.ended().then(() => {
    died += 1;
  });
  try {
    await acquainted(await field.open());
    const outcomes = await playAll(field, cells, bench);
    const { ledger, stations } = field;
    const sums = { accepted: ledger.sum("accepted"), holes: ledger.sum("hole") };
    return { outcomes, disordered: stations.flatMap(disorderOf), died, ...sums };
  } finally {
    await field.close();
  }
}

function chosen({ short, cells, random }: Bench): Cell[] {
  if (!cells) return short ? pairwise(ALL_CELLS, random) : shuffled(ALL_CELLS, random);
  return cells.map((name) => {
    const cell = ALL_CELLS.find((each) => nameOf(each) === name);
    if (!cell) throw new Error(`there is no cell "${name}"`);
    return cell;
  });
}

type Tagged = { cell: Cell; tag: string };

/** Gives cells out: those of pollers to pollers first, since nobody else plays them. */
function dealing(cells: Cell[]) {
  const left: Tagged[] = cells.map((cell, n) => ({ cell, tag: `g${n}` }));
  return (polls: boolean): Tagged | undefined => {
    const own = polls ? "polling" : "webhook";
    const first = left.findIndex(({ cell }) => polls && legOf(cell).only === own);
    const n = first >= 0 ? first : left.findIndex(({ cell }) => (legOf(cell).only ?? own) === own);
    return n < 0 ? undefined : left.splice(n, 1)[0];
  };
}

/** A gateway that has answered a call with an object will not answer it with nothing: from here on that is a proxy's. */
async function acquainted(station: Station): Promise<void> {
  for (const leg of LEGS.filter(({ vague }) => vague)) {
    const tag = `well, ${leg.name}`;
    const effects = await leg.act(station, tag, (await leg.prepare?.(station, tag)) ?? 0);
    await settled(station, () => effects.every(({ count }) => count() > 0));
  }
}

async function playAll(field: Field, cells: Cell[], { print }: Bench): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const limbo: { station: Station; played: Played }[] = [];
  const next = dealing(cells);
  const record = async ({ judge }: Played) => {
    const outcome = await judge();
    outcomes.push(outcome);
    for (const { kind, note } of outcome.problems) print(`  ${kind}: "${outcome.cell}": ${note}`);
  };
  const work = async (polls: boolean) => {
    let station: Station | undefined;
    let plays = 0;
    for (let one = next(polls); one; one = next(polls)) {
      if (plays++ % MOST_CELLS === 0) station = undefined;
      station ??= await persistently(() => field.open(polls));
      const played = await play(station, one.cell, one.tag);
      if (played.atRest) await record(played);
      else {
        // What it waits for must not hold up the next cell.
        limbo.push({ station, played });
        station = undefined;
      }
    }
  };
  const workers = Math.min(STATIONS, cells.length);
  // Without a poller nobody plays the polling cells.
  await Promise.all(Array.from({ length: workers }, (_, n) => work(n % POLLING === 0)));
  await Promise.all([work(false), work(true)]);
  if (limbo.length > 0) print(`  ${limbo.length} cells did not come to rest; waiting for them`);
  const end = Date.now() + LAST_MS;
  while (limbo.some(({ station }) => !isQuiet(station)) && Date.now() < end)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  for (const { played } of limbo) await record(played);
  return outcomes;
}

function figuresOf(seen: Seen[], bench: Bench): Figure[] {
  const outcomes = seen.flatMap((each) => each.outcomes);
  const sum = (of: (each: Seen) => number) => seen.reduce((all, each) => all + of(each), 0);
  const hits = outcomes.reduce((all, outcome) => all + outcome.hits, 0);
  bench.injected("faults at calls", hits);
  const told = (kind: Kind) => outcomes.filter(({ problems }) => problems.some((problem) => problem.kind === kind));
  for (const { cell, ms } of outcomes.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
    bench.print(`  ${Math.round(ms / 100) / 10} s: "${cell}"`);
  for (const note of seen.flatMap(({ disordered }) => disordered)) bench.print(`  ${note}`);
  return [
    atLeast("P14", `cells of faults played, ${hits} faults met`, outcomes.length, 1),
    ...(Object.keys(PROBLEMS) as Kind[]).map((kind) => none(...PROBLEMS[kind], told(kind).length)),
    none(
      "P3",
      "chats with another order",
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

/** First arrivals stand in the order in which they were said, at the gateway and in the chat. */
function disorderOf(station: Station): string[] {
  const inbox = heard(station).map(wordsOf);
  const chat = chatOf(station).flatMap(({ from, text }) => (from === "bot" ? [text] : []));
  return [misplaced(inbox, station.inbound), misplaced(chat, station.outbound)].filter((note) => note !== "");
}

function misplaced(seen: string[], said: string[]): string {
  const first = new Map(seen.map((text, n) => [text, seen.indexOf(text) === n ? n : seen.indexOf(text)]));
  const places = said.flatMap((text) => first.get(text) ?? []);
  const n = places.findIndex((place, at) => at > 0 && place < (places[at - 1] ?? 0));
  return n < 0 ? "" : `"${said.filter((text) => first.has(text))[n]}" stands before what was said before it`;
}
