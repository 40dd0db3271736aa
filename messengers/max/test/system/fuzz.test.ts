import { describe, expect, it } from "vitest";
import { type Json, mutatedBody } from "../../../../test/fuzz/mutate.ts";
import { anyAddress, fastClock, knock } from "../../../../test/fuzz/stage.ts";
import { brokenRows } from "../../../../test/support/invariants.ts";
import { type Random, seeded } from "../../../../test/support/random.ts";
import { samples } from "../../samples/samples.ts";
import { openShop } from "./site.ts";

const { FUZZ_BODIES, FUZZ_SEED = "1" } = process.env;
const bodies = Number(FUZZ_BODIES ?? 10_000);
/** A large backlog would slow down the rest. */
const BODIES_PER_SERVER = 2_500;
const AT_ONCE = 25;
/** Log lines of a failure in our own code. */
const OWN_FAULT =
  /"http\.failed"|not-stored"|"outbox\.[a-z]+-failed"|breaks this version|"error":"(Invalid|Cannot |[^"]* is not (a function|iterable|defined))/;

const updates = Object.values(samples).map(
  ({ body }) => JSON.parse(JSON.stringify(body).replace(/"seq:(\d+)"/g, "7")) as Json,
);

/** Usually another message: a known one would be dropped as a duplicate. */
function fresh(update: Json, random: Random): Json {
  if (random.chance(0.3)) return update;
  const mid = Array.from({ length: 32 }, () => random.int(16).toString(16)).join("");
  return JSON.parse(JSON.stringify(update).replaceAll(/mid\.[\da-f]+/g, `mid.${mid}`)) as Json;
}

async function oneServer(first: number, count: number): Promise<string[]> {
  const shop = await openShop({ clock: fastClock() });
  const faults: string[] = [];
  const one = async (seed: number) => {
    const random = seeded(seed);
    const headers = { "x-max-bot-api-secret": shop.secret };
    const body = mutatedBody(fresh(random.pick(updates), random), random);
    const { status } = await knock(shop, shop.door, { headers }, body, anyAddress(random));
    if (status !== 200 && status !== 400 && status !== 413)
      faults.push(`the body of seed ${seed} is answered with ${status}`);
  };
  for (let n = 0; n < count; n += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - n) }, (_, k) => one(first + n + k)));
  await shop.close();
  const own = shop.lines.filter((line) => OWN_FAULT.test(line));
  return [...faults, ...own, ...brokenRows(shop.folder)].slice(0, 20);
}

describe(`${bodies} bodies at the door, mutated from the samples, broken, or of nothing at all`, () => {
  for (let n = 0; n < bodies; n += BODIES_PER_SERVER)
    it(`are answered below 500, break nothing, and leave the database whole (from body ${n})`, {
      timeout: 600_000,
    }, async () => {
      const first = Math.imul(Number(FUZZ_SEED), 7_919) + n;
      expect(await oneServer(first, Math.min(BODIES_PER_SERVER, bodies - n))).toEqual([]);
    });
});

it("without the secret none of them is read: 401, and no row", async () => {
  const shop = await openShop();
  for (const [n, secret] of ["", "x".repeat(43), `${shop.secret} `.repeat(2), shop.secret.slice(0, -1)].entries()) {
    const random = seeded(n);
    const body = Buffer.from(JSON.stringify(random.pick(updates)));
    const init = { headers: { "x-max-bot-api-secret": secret } };
    expect((await knock(shop, shop.door, init, body, anyAddress(random))).status).toBe(401);
  }
  expect(shop.sandbox.world.chats.size).toBe(0);
});
