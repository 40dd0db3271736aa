import type { Clock } from "../../../domain/time/clock.ts";
import { createLoop, type Loop } from "../../../domain/time/loop.ts";
import { type Engine, first, type Verb } from "../../tables/engine.ts";
import { extendDeadlines } from "../../tables/messages/timers.ts";
import { NOW } from "../tables/leases.ts";

// What one process stores as due, another claims: all go by the database's time, whatever their machines' clocks say. A step of
// the database's clock counts once it has lasted for a minute, as one of a machine's does (domain/time/clock.ts). Until then the row
// `clock` of `meta` says how far all are behind the database's clock, also to a process that starts meanwhile.

/** Processes adopt a step within this time of each other. */
const LOOK_MS = 1_000;
/** Smaller differences are clocks being slewed, ms. */
const STEP_MS = 1_000;
const LASTING_MS = 60_000;

/** `state`: how many steps were adopted, and how far all are behind, ms. */
const LOOK = `SELECT ${NOW} AS now, coalesce((SELECT value FROM meta WHERE key = 'clock'), '0 0') AS state`;
const SET = `INSERT INTO meta (key, value) VALUES ('clock', @next)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE meta.value = @was RETURNING value`;

/** False when another process was faster. */
function* change(was: string, next: string): Verb<boolean> {
  return (yield* first(SET, { was, next })) !== undefined;
}

/** Time that the clock skips counts as no delay. */
function* adopt(was: string, steps: number, behind: number): Verb<void> {
  if ((yield* change(was, `${steps + 1} 0`)) && behind > 0) yield* extendDeadlines(behind);
}

type Time = Pick<Engine, "read" | "write">;

/** Has the clock follow the database's, if it can. Resolves once it does, with what goes on with that. */
export async function followTime(engine: Time, clock: Clock): Promise<Loop | undefined> {
  if (!clock.follow) return undefined;
  const round = follower(engine, clock);
  await round();
  // A lost connection is reported elsewhere.
  const loop = createLoop({ clock, everyMs: LOOK_MS, waitsFirst: true, round, failed: () => undefined });
  void loop.start();
  return loop;
}

function follower({ read, write }: Time, clock: Clock): () => Promise<void> {
  /** Steps adopted by this process. */
  let adopted: number | undefined;
  /** The state that this process has written for a step that it saw. */
  let proposed: string | undefined;
  let waiting: { state: string; since: number } | undefined;

  return async function look(): Promise<void> {
    const asked = clock.monotonic();
    const row = await read(() => first<{ now: number; state: string }>(LOOK));
    if (!row) return;
    const { now, state } = row;
    const at = clock.monotonic();
    const [steps = 0, behind = 0] = state.split(" ").map(Number);
    const [earliest, latest] = [now - behind, now - behind + at - asked];
    const off = Math.max(0, earliest - clock.now()) + Math.min(0, latest - clock.now());
    // Taken back by another process: this one alone stood still.
    const alone = proposed !== undefined && proposed !== state;
    if (alone) proposed = undefined;
    if (Math.abs(off) > STEP_MS && steps === adopted && !alone) {
      const next = `${steps} ${behind + off}`;
      if (await write(() => change(state, next))) proposed = next;
      return;
    }
    clock.follow?.(earliest, latest);
    adopted = steps;
    if (behind === 0) waiting = undefined;
    else if (waiting?.state !== state) waiting = { state, since: at };
    else if (at - waiting.since >= LASTING_MS) {
      await write(() => adopt(state, steps, behind), "lanes");
      await look();
    }
  };
}
