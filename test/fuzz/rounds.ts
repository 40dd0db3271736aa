import { describe, expect, it } from "vitest";
import { cpuMeter } from "../support/cpu.ts";
import { brokenRows } from "../support/invariants.ts";
import { LONG } from "../support/long.ts";
import { seeded } from "../support/random.ts";
import type { Door } from "./doors.ts";
import { openStage, type Stage } from "./stage.ts";

const { FUZZ_BODIES, FUZZ_SEED, FUZZ_DOOR } = process.env;
const bodies = Number(FUZZ_BODIES ?? (LONG ? 3_000 : 200));
const seeds = FUZZ_SEED ? [Number(FUZZ_SEED)] : [1, 2];

/** Bodies per server: a large backlog would slow down the rest. */
const BODIES_PER_SERVER = 3_000;
const AT_ONCE = 25;
/** Limit for an answer, wall clock; and for a batch of bodies, CPU time. */
const ANSWER_MS = 60_000;
const BATCH_CPU_MS = 2_500;
/** Log lines of a failure in the server's own code. */
const OWN_FAULT =
  /"http\.failed"|not-stored"|"outbox\.[a-z]+-failed"|breaks this version|"error":"(Invalid|Cannot |[^"]* is not (a function|iterable|defined))/;

async function answered(answer: Promise<Response>, what: string): Promise<Response> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} is not answered`)), ANSWER_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** Each body has its own seed, which is enough to reproduce it. */
async function knockOnce(door: Door, stage: Stage, seed: number): Promise<string[]> {
  const response = await answered(door.knock(stage, seeded(seed)), `${door.name} with the body of seed ${seed}`);
  await response.body?.cancel();
  return response.status >= 500 ? [`${door.name} answers the body of seed ${seed} with ${response.status}`] : [];
}

async function together(door: Door, stage: Stage, first: number, count: number): Promise<string[]> {
  const cpu = cpuMeter();
  const all = Array.from({ length: count }, (_, n) => knockOnce(door, stage, first + n));
  const faults = (await Promise.all(all)).flat();
  const slow = cpu() > BATCH_CPU_MS;
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

/** Tests each door with `FUZZ_BODIES` bodies from `FUZZ_SEED`, or only `FUZZ_DOOR`, as far as they are set. */
export function describeDoors(doors: Door[]): void {
  const chosen = doors.filter(({ name }) => !FUZZ_DOOR || name === FUZZ_DOOR);
  if (chosen.length === 0) it("is not selected", () => {});
  describe.each(chosen)(`any request at the door $name (seeds ${seeds.join(" and ")})`, (door) => {
    const each = Math.ceil(bodies / seeds.length / (FUZZ_BODIES ? 1 : (door.weight ?? 1)));
    const share = Math.floor(BODIES_PER_SERVER / seeds.length);
    // One test per server: the end of a test checks and clears its logs and pages.
    for (let n = 0; n < each; n += share)
      it(`gets an answer below 500 and leaves the database consistent (from body ${n})`, {
        timeout: 600_000,
      }, async () => {
        const starts = seeds.map((seed) => (Math.imul(seed, 7_919) + n) >>> 0);
        expect(await oneServer(door, starts, Math.min(share, each - n))).toEqual([]);
      });
  });
}
