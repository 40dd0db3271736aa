import type { Planned } from "gangway-sandbox";
import { type Cell, faultOf, legOf, nameOf } from "./cells.ts";
import { type Expectation, expectationOf } from "./expectation.ts";
import type { Effect, Leg } from "./legs.ts";
import { isQuiet, type Station, withRetries } from "./station.ts";

export type Kind =
  | "lost"
  | "given up"
  | "not refused"
  | "not reported in the chat"
  | "without its ack"
  | "twice at the gateway"
  | "twice in the chat"
  | "without its file"
  | "a form broken"
  | "late"
  | "not played";

export interface Problem {
  kind: Kind;
  note: string;
}
export interface Outcome {
  cell: string;
  hits: number;
  /** From the action to the settled state. */
  ms: number;
  problems: Problem[];
}
/** A played cell; `judge` may run now or later. */
export interface Played {
  settled: boolean;
  judge(): Promise<Outcome>;
}

const PATIENCE_MS = 60_000;
/** Limit from action to settled state; retries back off exponentially with jitter. */
const LATE_MS = { one: 30_000, burst: 45_000, outage: 45_000 };
/** Extra time for a fault's own deadline or pace. */
const SLOW_MS: Record<string, number> = { hang: 35_000, drip: 15_000 };
const LOOK_MS = 50;
/** Length of an outage from the first call that meets it. */
const OUTAGE_MS = 2_500;
const ATTEMPTS = { one: 1, burst: 3, outage: 2 };

export async function play(station: Station, cell: Cell, tag: string): Promise<Played> {
  const leg = legOf(cell);
  const words = `no-${tag}`;
  let faults: Planned | undefined;
  const problems: Problem[] = [];
  try {
    const prepared = (await leg.prepare?.(station, tag)) ?? 0;
    faults = planFault(station, leg, faultOf(cell, words));
    if (leg.attempt) problems.push(...(await submitForm(station, leg, cell, faults)));
    const began = Date.now();
    const effects = await leg.act(station, tag, prepared);
    const settled = await waitUntilSettled(station, effects, faults, cell);
    faults.end();
    if (!settled || Date.now() - began > LATE_MS[cell.span] + (SLOW_MS[cell.body] ?? 0))
      problems.push({
        kind: "late",
        note: `after ${Math.round((Date.now() - began) / 1000)} s ${settled ? "done" : "not done"}`,
      });
    const ms = Date.now() - began;
    const known = { station, cell, words, hits: faults.hits() };
    const judge = async () => ({
      cell: nameOf(cell),
      hits: known.hits,
      ms,
      problems: [...problems, ...(await judged(known, effects))],
    });
    return { settled, judge };
  } catch (error) {
    faults?.end();
    problems.push({ kind: "not played", note: error instanceof Error ? error.message : String(error) });
    return { settled: false, judge: async () => ({ cell: nameOf(cell), hits: faults?.hits() ?? 0, ms: 0, problems }) };
  }
}

function planFault(
  { crm, telegram, bot, other }: Station,
  { operation, way }: Leg,
  fault: ReturnType<typeof faultOf>,
): Planned {
  const [, method] = operation.split("telegram:");
  if (!method) return crm.sandbox.faults.plan({ operation, ...fault });
  return telegram.faults.plan({ method, bot: way === "form" ? other?.id : bot.id, ...fault });
}

/** Submits the form under the fault, then once after it, when it must succeed. */
async function submitForm(station: Station, { attempt }: Leg, { span }: Cell, faults: Planned): Promise<Problem[]> {
  const problems: Problem[] = [];
  const tried = () =>
    attempt?.(station).then(
      () => "",
      (error: Error) => error.message,
    );
  let refused = await tried();
  for (let n = 1; n < ATTEMPTS[span] && refused; n++) refused = await tried();
  if (refused?.includes("no reason given"))
    problems.push({ kind: "a form broken", note: `under the fault: ${refused}` });
  faults.end();
  if (refused) refused = await tried();
  if (refused) problems.push({ kind: "a form broken", note: `after the fault: ${refused}` });
  return problems;
}

async function waitUntilSettled(
  station: Station,
  effects: Effect[],
  faults: Planned,
  { span, body }: Cell,
): Promise<boolean> {
  const end = Date.now() + PATIENCE_MS + (SLOW_MS[body] ?? 0);
  const isThere = ({ count, message }: Effect) => count() > 0 || failed(station, message);
  let since: number | undefined;
  let metAt: number | undefined;
  while (Date.now() < end) {
    if (faults.hits() > 0) metAt ??= Date.now();
    if (span === "outage" && metAt !== undefined && Date.now() > metAt + OUTAGE_MS) faults.end();
    // Quiet for several reads means settled, refused or not.
    const quiet = isQuiet(station) && faults.hits() > 0;
    since = quiet ? (since ?? station.ledger.reads()) : undefined;
    const longer = effects.every(isThere) ? 2 : 6;
    if (since !== undefined && station.ledger.reads() >= since + longer) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return false;
}

const messageOf = ({ crm }: Station, id: number | undefined) =>
  id === undefined ? undefined : crm.sandbox.world.messageById(id);
const failed = (station: Station, id: number | undefined) => messageOf(station, id)?.status === "failed";

interface Known {
  station: Station;
  cell: Cell;
  words: string;
  hits: number;
}

async function judged(known: Known, effects: Effect[]): Promise<Problem[]> {
  const { station, cell, hits, words } = known;
  const expected = expectationOf(cell);
  const { way } = legOf(cell);
  const problems: Problem[] = [];
  if (hits === 0) problems.push({ kind: "not played", note: "no call met the fault" });
  const missing = effects.filter(({ count }) => count() === 0);
  const excused = expected.mayEnd || expected.lie ? hits : 0;
  for (const effect of missing.slice(excused)) problems.push(...lost(station, effect, expected));
  if (expected.mustEnd && !(missing.includes(effects[0] as Effect) && (await isReported(known, effects[0]))))
    problems.push({
      kind: "not refused",
      note: `the refusal "${words}" did not end "${effects[0]?.what}" with its reason`,
    });
  const lines = expected.mustReport ? linesOf(station, words) : 1;
  if (lines !== 1)
    problems.push({
      kind: "not reported in the chat",
      note: `the agent has ${lines} lines about "${effects[0]?.what}"`,
    });
  const extra = effects.reduce((sum, { count }) => sum + Math.max(0, count() - 1), 0);
  const allowed = legOf(cell).keyless ? hits : 0;
  if (extra > allowed)
    problems.push({ kind: way === "out" ? "twice in the chat" : "twice at the gateway", note: `${extra} too many` });
  for (const { what, whole, count } of effects)
    if (whole && count() > 0 && !whole() && !expected.mayEnd) problems.push({ kind: "without its file", note: what });
  problems.push(...unacked(known, effects, expected));
  return problems;
}

const linesOf = ({ crm }: Station, words: string) =>
  crm.sandbox.world.messages.filter(({ from, text }) => from.type === "channel" && text.includes(words)).length;

function lost(station: Station, { what, message }: Effect, { mayGiveUp }: Expectation): Problem[] {
  const state = messageOf(station, message);
  if (mayGiveUp && state?.status === "failed") return [];
  const ended = state ? `: ${state.status} ${state.error?.message ?? ""}` : "";
  const dead = state?.status === "failed" || (!state && isQuiet(station));
  return [{ kind: dead ? "given up" : "lost", note: `${what}${ended}` }];
}

/** Delivered messages must be acked, unless the gateway itself refused the ack or pretended to accept it. */
function unacked({ station, hits, cell }: Known, effects: Effect[], expected: Expectation): Problem[] {
  const isAck = legOf(cell).operation === "ackMessage";
  const open = effects.filter(({ message, count }) => {
    const state = messageOf(station, message);
    if (!state) return false;
    if (state.status === "failed") return count() > 0 && !expected.mayGiveUp && !expected.mayEnd;
    return !["received", "seen"].includes(state.status);
  });
  const excused = isAck && (expected.mayEnd || expected.lie) ? hits : 0;
  return open.slice(excused).map(({ what, message }) => {
    const state = messageOf(station, message);
    return { kind: "without its ack", note: `${what}: ${state?.status} ${state?.error?.message ?? ""}` };
  });
}

async function isReported({ station, words }: Known, effect: Effect | undefined): Promise<boolean> {
  if (messageOf(station, effect?.message)?.error?.message?.includes(words)) return true;
  if ((await withRetries(station.visit.lookAtFailed)).includes(words)) return true;
  // What is about a message, such as a reaction, is told there.
  const { visit } = station;
  return effect !== undefined && (await withRetries(() => visit.lookAtStories(effect.what))).includes(words);
}
