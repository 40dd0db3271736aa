import { type Answer, answerText, type CallRequest } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
import { isTaken, outcomeOf, type Stage } from "./stage.ts";
import { type Step, see } from "./step.ts";
import { sentence } from "./trace.ts";

/** More than the known limits: 30 for the gateway, 10 for the CRM. */
const BURST = 40;
const SECOND_MS = 1_000;
/** Polling interval until calls are accepted again, ms: below the limit, even if refused calls count. */
const POLL_MS = 60;
/** Pauses before the bursts, ms: longer than a window, and each burst starts in a different part of a second. */
const PAUSES_MS = [1_300, 1_600, 1_450] as const;
/** Partly refused bursts that suffice to identify the window. */
const ENOUGH = 2;
const MAX_CLOSED_MS = 10_000;

type Ask = () => Promise<Answer | undefined>;
const isTooMany = (answer: Answer | undefined): boolean => answer?.status === 429 || answer?.status === 503;

/** Bypasses the throttle that keeps all other calls below the limit. */
function asking({ trace, signal }: Stage, url: string, headers: CallRequest["headers"]): Ask {
  return async () => {
    const result = await trace.call({ method: "GET", url, headers, timeoutMs: 30_000, signal });
    return result.type === "answer" ? result : undefined;
  };
}

/** Calls answered over a longer time may belong to different windows, ms. */
const MAX_SPREAD_MS = 900;
/** Whether every call was accepted or rate limited: lost calls and failures prove nothing. */
const areClear = (answers: (Answer | undefined)[]): boolean =>
  answers.every((answer) => isTaken(answer) || isTooMany(answer));

interface Burst {
  /** Monotonic time, ms. */
  began: number;
  taken: number;
  refused?: Answer;
}

/** Undefined if the network was too slow or lost a call. */
async function burst({ clock, also }: Stage, whose: string, ask: Ask): Promise<Burst | undefined> {
  const began = clock.monotonic();
  const answers = await Promise.all(Array.from({ length: BURST }, ask));
  const tookMs = clock.monotonic() - began;
  if (tookMs <= MAX_SPREAD_MS && areClear(answers))
    return { began, taken: answers.filter(isTaken).length, refused: answers.find(isTooMany) };
  const odd = answers.find((answer) => !areClear([answer]));
  const why = areClear(answers) ? `${Math.round(tookMs)} ms` : outcomeOf(odd);
  also.push({ about: `${BURST} calls at once to the ${whose}, discarded`, seen: why });
  return undefined;
}

/** Time from the start of a refused burst until a call was accepted again, ms; undefined: not in time. */
async function closedFor({ clock, signal }: Stage, { began }: Burst, ask: Ask): Promise<number | undefined> {
  while (clock.monotonic() - began < MAX_CLOSED_MS && !signal.aborted) {
    await pause(clock, POLL_MS, signal);
    const at = clock.monotonic();
    const answer = await ask();
    if (isTaken(answer)) return at - began;
    if (!isTooMany(answer)) return undefined;
  }
  return undefined;
}

function tell({ also, secrets }: Stage, whose: string, bursts: Burst[]): Answer | undefined {
  also.push({
    about: `${BURST} calls at once to the ${whose}`,
    seen: `${bursts.map((each) => each.taken).join(", ")} taken`,
  });
  const refused = bursts.find((each) => each.refused)?.refused;
  if (!refused) return undefined;
  const words = sentence(answerText(refused), secrets);
  const again = refused.headers["retry-after"] ?? "absent";
  also.push({ about: `the ${whose}'s refusal`, seen: `${refused.status}, Retry-After ${again}, ${words}` });
  return refused;
}

async function rate(stage: Stage): Promise<void> {
  const { clock, access, also, signal } = stage;
  const ask = asking(stage, `${access.gatewayUrl}/channels?limit=1`, { "x-transport-token": access.gatewayToken });
  const bursts: Burst[] = [];
  const closed: number[] = [];
  for (const ms of PAUSES_MS) {
    if (closed.length === ENOUGH) break;
    await pause(clock, ms, signal);
    if (signal.aborted) return;
    const one = await burst(stage, "gateway", ask);
    if (!one) continue;
    bursts.push(one);
    const closedMs = one.refused && (await closedFor(stage, one, ask));
    if (closedMs !== undefined) closed.push(closedMs);
  }
  if (!tell(stage, "gateway", bursts) || signal.aborted) return;
  also.push({ about: "the gateway takes calls again after", seen: `${closed.map(Math.round).join(", ")} ms` });
  if (closed.length < ENOUGH) return;
  const window = windowOf(closed);
  see(stage, "rateWindow", window);
  // A fixed window resets at each second, whatever was refused before.
  if (window === "sliding") await steady(stage, ask);
}

/** A sliding window opens a second after the burst, a fixed one at the next full second, a token bucket at once. */
function windowOf(closed: number[]): string {
  const [least, most] = [Math.min(...closed), Math.max(...closed)];
  if (least > 0.8 * SECOND_MS) return most < 2 * SECOND_MS ? "sliding" : "another";
  return most > 0.25 * SECOND_MS && most < 1.3 * SECOND_MS ? "fixed" : "another";
}

/** Interval of a steady stream of 50 calls a second, ms. */
const STEADY_MS = 20;
/** When the stream's early calls have passed, and when the stream ends; ms. */
const [THROUGH_MS, END_MS] = [1_300, 2_100];
/** Minimum number of late calls: with fewer, this machine or the network was too slow to exceed the limit. */
const LATE_CALLS = 26;

/** Sends a steady stream above the limit: are all late calls refused, or as many accepted as the limit allows? */
async function steady(stage: Stage, ask: Ask): Promise<void> {
  const { clock, signal } = stage;
  const began = clock.monotonic();
  const [early, late]: Promise<Answer | undefined>[][] = [[], []];
  for (let at = 0; at < END_MS && !signal.aborted; at = clock.monotonic() - began) {
    (at > THROUGH_MS ? late : early)?.push(ask());
    await pause(clock, STEADY_MS, signal);
  }
  await Promise.all(early ?? []);
  const answers = await Promise.all(late ?? []);
  if (clock.monotonic() - began > END_MS + MAX_SPREAD_MS || !areClear(answers)) return;
  if (answers.length >= LATE_CALLS && !signal.aborted) see(stage, "refusedCount", answers.every(isTooMany));
}

async function crmRate(stage: Stage): Promise<void> {
  const { access, clock, signal } = stage;
  const ask = asking(stage, `${access.crmUrl}/api/credentials`, { "x-api-key": access.apiKey });
  const bursts: Burst[] = [];
  for (const ms of PAUSES_MS) {
    if (bursts.length === ENOUGH) break;
    await pause(clock, ms, signal);
    const one = signal.aborted ? undefined : await burst(stage, "CRM", ask);
    if (one) bursts.push(one);
  }
  await pause(clock, PAUSES_MS[0], signal);
  if (signal.aborted || bursts.length < ENOUGH) return;
  const refused = tell(stage, "CRM", bursts);
  // A new second may have begun within a burst, so take the minimum.
  see(stage, "crmPerSecond", refused ? Math.min(...bursts.map(({ taken }) => taken)) : 0);
  if (refused) see(stage, "crmTooMany", refused.status);
}

export const RATE_STEPS: readonly Step[] = [
  {
    name: "rate",
    does: `go beyond the gateway's limit for some seconds: ${BURST} calls at once, two or three times, then 50 a second; the module's other calls may be refused meanwhile`,
    sees: ["rateWindow", "refusedCount"],
    run: rate,
  },
  {
    name: "crm-rate",
    does: `go beyond the CRM's limit: ${BURST} calls at once, two or three times; others with this key may be refused meanwhile`,
    sees: ["crmPerSecond", "crmTooMany"],
    run: crmRate,
  },
];
