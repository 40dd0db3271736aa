import { expect, it } from "vitest";
import { type Json, mutatedBody } from "../../../../test/fuzz/mutate.ts";
import { brokenRows } from "../../../../test/support/invariants.ts";
import { type Random, seeded } from "../../../../test/support/random.ts";
import { samples } from "../../samples/samples.ts";
import { runningShop } from "./site.ts";

const BODIES = 10_000;
const AT_ONCE = 50;
const bodies = Object.values(samples).map(({ body }) => body as Json);
/** Log lines of a failure in the server's own code. */
const OWN_FAULT =
  /"http\.failed"|not-stored"|"outbox\.[a-z]+-failed"|breaks this version|"error":"(Invalid|Cannot |[^"]* is not (a function|iterable|defined))/;

/** Usually another message: a known one would be dropped as a repeat. */
const fresh = (body: Json, random: Random): Json =>
  random.chance(0.2)
    ? body
    : JSON.parse(JSON.stringify(body).replace(/"id":"bdcc5\w+"/, `"id":"m-${random.int(2 ** 31)}"`));

it(`any of ${BODIES} bodies at the door gets an answer below 500, and leaves the database consistent`, async () => {
  const shop = await runningShop();
  const statuses = new Map<number, number>();
  const post = async (seed: number) => {
    const random = seeded(seed);
    const body = mutatedBody(fresh(random.pick(bodies), random), random);
    const answer = await shop.ask(shop.door, { method: "POST", body: new Uint8Array(body) });
    await answer.body?.cancel();
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    return answer.status >= 500 ? [`the body of seed ${seed}: ${answer.status}`] : [];
  };
  const faults: string[] = [];
  for (let seed = 1; seed <= BODIES; seed += AT_ONCE)
    faults.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => post(seed + n)))).flat());
  const known = shop.network.journal.entries().filter(({ operation }) => operation === "getChatByIdV2");
  await shop.close();
  expect([...faults, ...shop.lines.filter((line) => OWN_FAULT.test(line)), ...brokenRows(shop.folder)]).toEqual([]);
  // They came through the door: its quota of waiting messages is for what can be read.
  expect(known.length).toBeGreaterThan(0);
  expect(statuses.get(200)).toBeGreaterThan(BODIES / 2);
  expect([...statuses.keys()].filter((status) => ![200, 400, 429].includes(status))).toEqual([]);
});
