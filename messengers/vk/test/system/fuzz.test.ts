import { expect, it } from "vitest";
import { mutatedBody } from "../../../../test/fuzz/mutate.ts";
import { brokenRows } from "../../../../test/support/invariants.ts";
import { type Random, seeded } from "../../../../test/support/random.ts";
import { OWN } from "../../../../test/support/site.ts";
import { samples } from "../../samples/samples.ts";
import { GROUP } from "../../samples/wire.ts";
import { openShop } from "../shop.ts";

const BODIES = 10_000;
const AT_ONCE = 50;
/** Log lines that only a fault of ours writes. */
const OWN_FAULT = /"level":"(error|fatal)"|not-stored|http\.failed/;
type Json = Parameters<typeof mutatedBody>[0];

const events = Object.values(samples).map(({ body }) => JSON.stringify(body));

/** An event with another number, as a known one would be dropped as a repeat; most still carry what proves them. */
function hostile(random: Random, secret: string): Uint8Array {
  const text = random
    .pick(events)
    .replaceAll(/"conversation_message_id":\d+/g, `"conversation_message_id":${1 + random.int(2 ** 31)}`);
  const body = mutatedBody(JSON.parse(text) as Json, random);
  return random.chance(0.7) ? proven(body, secret) : body;
}

function proven(body: Uint8Array, secret: string): Uint8Array {
  try {
    const read = JSON.parse(new TextDecoder().decode(body)) as object;
    return new TextEncoder().encode(JSON.stringify({ ...read, secret, group_id: GROUP }));
  } catch {
    return body;
  }
}

it(`${BODIES} hostile bodies at the door get an answer below 500, and leave the server and its database whole`, async () => {
  const { ask, net, door, lines, close, folder, during, forward, atGateway } = await openShop({ seed: 21 });
  const { url = "", secret = "" } = door() ?? {};
  const path = url.replace(OWN, "");
  const random = seeded(0x56_4b);
  const statuses = new Map<number, number>();
  for (let n = 0; n < BODIES; n += AT_ONCE) {
    const bodies = Array.from({ length: AT_ONCE }, () => hostile(random, secret));
    const knock = (body: Uint8Array) => ask(path, { method: "POST", body: new Uint8Array(body) });
    const answers = await during(Promise.all(bodies.map(knock)));
    for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const all = [...statuses.values()].reduce((sum, count) => sum + count, 0);
  expect([all, [...statuses.keys()].filter((status) => status >= 500)]).toEqual([BODIES, []]);
  // Many are still events, and many are not.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(BODIES / 4);
  expect(statuses.get(401) ?? 0).toBeGreaterThan(BODIES / 20);
  // Behind thousands of others, some with files that are nowhere.
  await during(net.customers.says(net.chat(2), { text: "Still there?" }));
  for (let minutes = 0; minutes < 60 && !atGateway().includes("Still there?"); minutes++) await forward(60_000);
  expect(atGateway()).toContain("Still there?");
  await during(close());
  expect(lines.filter((line) => OWN_FAULT.test(line))).toEqual([]);
  expect(brokenRows(folder)).toEqual([]);
});
