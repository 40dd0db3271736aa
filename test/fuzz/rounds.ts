import { describe, expect, it } from "vitest";
import { brokenRows } from "../support/invariants.ts";
import { LONG } from "../support/long.ts";
import { seeded } from "../support/random.ts";
import type { Door } from "./doors.ts";
import { openStage, type Stage } from "./stage.ts";

const { FUZZ_BODIES, FUZZ_SEED, FUZZ_DOOR } = process.env;
const bodies = Number(FUZZ_BODIES ?? (LONG ? 3_000 : 1_000));
const seeds = FUZZ_SEED ? [Number(FUZZ_SEED)] : [1, 2];

/** A server takes this many, then a new one begins: the heap of waiting work must not slow the next down. */
const A_SERVER = 3_000;
const AT_ONCE = 25;
/** No answer by then is none at all, and this much work for so few bodies is a hang: ms on the clock, ms of the processor. */
const NEVER_MS = 60_000;
const HANGS_MS = 2_500;
/** What a server writes in its log when its own code has failed. */
const OWN_FAULT =
  /"http\.failed"|not-stored"|"outbox\.[a-z]+-failed"|breaks this version|"error":"(Invalid|Cannot |[^"]* is not (a function|iterable|defined))/;

async function answered(answer: Promise<Response>, what: string): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} is not answered`)), NEVER_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Every body has a seed of its own, which is all it takes to send it again. */
async function knockOnce(door: Door, stage: Stage, seed: number): Promise<string[]> {
  const response = await answered(door.knock(stage, seeded(seed)), `${door.name} with the body of seed ${seed}`);
  await response.body?.cancel();
  return response.status >= 500 ? [`${door.name} answers the body of seed ${seed} with ${response.status}`] : [];
}

async function together(door: Door, stage: Stage, first: number, count: number): Promise<string[]> {
  const before = process.cpuUsage();
  const all = Array.from({ length: count }, (_, n) => knockOnce(door, stage, first + n));
  const faults = (await Promise.all(all)).flat();
  const { user, system } = process.cpuUsage(before);
  const slow = (user + system) / 1_000 > HANGS_MS;
  return slow ? [...faults, `${door.name} is slow with one of the ${count} bodies from seed ${first}`] : faults;
}

async function oneServer(door: Door, starts: number[], count: number): Promise<string[]> {
  const stage = await openStage();
  const faults: string[] = [];
  for (const start of starts)
    for (let n = 0; n < count; n += AT_ONCE)
      faults.push(...(await together(door, stage, start + n, Math.min(AT_ONCE, count - n))));
  await stage.close();
  const own = stage.lines.filter((line) => OWN_FAULT.test(line));
  return [...faults, ...own, ...brokenRows(stage.folder)].slice(0, 20);
}

/** Holds doors to their promise: `FUZZ_BODIES` bodies each, of `FUZZ_SEED` where that is set, and only at `FUZZ_DOOR`. */
export function describeDoors(doors: Door[]): void {
  const chosen = doors.filter(({ name }) => !FUZZ_DOOR || name === FUZZ_DOOR);
  if (chosen.length === 0) it("is not asked for", () => {});
  describe.each(chosen)(`whatever comes in at the door $name (seeds ${seeds.join(" and ")})`, (door) => {
    const each = Math.ceil(bodies / seeds.length / (FUZZ_BODIES ? 1 : (door.weight ?? 1)));
    const share = Math.floor(A_SERVER / seeds.length);
    // A test for each server: what it has shown and written is looked at, and forgotten, at the end of a test.
    for (let n = 0; n < each; n += share)
      it(`gets an answer below 500, and leaves every row whole (from body ${n})`, { timeout: 600_000 }, async () => {
        const starts = seeds.map((seed) => (Math.imul(seed, 7_919) + n) >>> 0);
        expect(await oneServer(door, starts, Math.min(share, each - n))).toEqual([]);
      });
  });
}
