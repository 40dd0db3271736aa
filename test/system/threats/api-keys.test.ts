import type { Call } from "gangway-messenger/call";
import { alertIn } from "gangway-sandbox/demo/page-text";
import { describe, expect, it } from "vitest";
import { SANDBOX_KEY } from "../../../sandbox/src/crm/rights.ts";
import { handClock } from "../../support/clock.ts";
import { LONG } from "../../support/long.ts";
import { CRM, runningSite } from "../../support/site.ts";

/** Guesses at once. */
const MANY = LONG ? 10_000 : 1_000;

/** A server whose visitors all share one address; counts its calls to the CRM. */
async function setUp() {
  const clock = handClock();
  const calls = { all: 0, withKey: 0 };
  const counted = (real: Call) => (request: Parameters<Call>[0]) => {
    calls.all += 1;
    if (request.headers?.["x-api-key"]) calls.withKey += 1;
    return real(request);
  };
  const site = await runningSite({ clock, call: counted });
  const tries = async (apiKey: string, path = "/") => (await site.submit(path, { crmUrl: CRM, apiKey })).status;
  /** Waits for the answer, as a person does. */
  const inTurn = async (apiKey: string) => {
    let status: number | undefined;
    void tries(apiKey).then((answer) => {
      status = answer;
    });
    for (let n = 0; n < 100 && status === undefined; n++) await clock.forward(100);
    return status;
  };
  return { ...site, clock, tries, inTurn, calls };
}

describe("wrong API keys from an address", () => {
  it.each(LONG ? [20, 200] : [20])("do not lock out the right key from there, after %i of them", async (count) => {
    const site = await setUp();
    for (let n = 0; n < count; n++) expect(await site.inTurn(`wrong-${n}`)).toBe(422);
    expect(await site.inTurn(SANDBOX_KEY)).toBe(303);
    for (let n = 0; n < count; n++) expect(await site.inTurn(`wrong-${n}`)).toBe(422);
    expect(await site.inTurn(SANDBOX_KEY)).toBe(303);
  });

  it("do not delay a connected account's key, even with very many under way", async () => {
    const site = await setUp();
    expect(await site.tries(SANDBOX_KEY)).toBe(303);
    const guesses = Array.from({ length: MANY / 5 }, (_, n) => site.tries(`wrong-${n}`));
    expect(await site.tries(SANDBOX_KEY)).toBe(303);
    await site.clock.forward(10_000);
    await Promise.all(guesses);
  });

  it("reach the CRM at most forty times out of very many at once, and leave no account", async () => {
    const site = await setUp();
    const guesses = Array.from({ length: MANY }, (_, n) => site.tries(`wrong-${n}`));
    await site.clock.forward(10_000);
    const statuses = await Promise.all(guesses);
    expect(statuses.filter((status) => status === 429)).toHaveLength(MANY - 40);
    expect(site.calls.all).toBe(40);
    expect(await site.stored((store) => store.accounts.list())).toEqual([]);
  });

  it("count alike in the form and in its check: twenty at once reach the CRM, and as many probes of its address", async () => {
    const site = await setUp();
    const guesses = Array.from({ length: MANY / 2 }, (_, n) => site.tries(`wrong-${n}`, n % 2 === 0 ? "/" : "/check"));
    await site.clock.forward(0);
    expect(site.calls).toEqual({ withKey: 20, all: 40 });
    await site.clock.forward(10_000);
    const statuses = await Promise.all(guesses);
    // Four a second.
    expect(site.calls.withKey).toBeLessThanOrEqual(60);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(MANY / 2 - 100);
    expect(await site.stored((store) => store.accounts.list())).toEqual([]);
  });

  it("do not delay the check of a connected account's key", async () => {
    const site = await setUp();
    expect(await site.tries(SANDBOX_KEY)).toBe(303);
    const guesses = Array.from({ length: MANY / 5 }, (_, n) => site.tries(`wrong-${n}`));
    expect(await site.tries(SANDBOX_KEY, "/check")).toBe(200);
    await site.clock.forward(10_000);
    await Promise.all(guesses);
  });

  it("beyond the limit get a form that says when to retry and keeps the input", async () => {
    const site = await setUp();
    const guesses = Array.from({ length: 40 }, (_, n) => site.tries(`wrong-${n}`));
    const refused = await site.submit("/", { crmUrl: CRM, apiKey: "wrong" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
    const page = await refused.text();
    expect(alertIn(page)).toMatch(/^You or somebody else is trying too many API keys/);
    expect(page).toContain(`value="${CRM}"`);
    await site.clock.forward(10_000);
    await Promise.all(guesses);
  });

  it("are not counted if the form itself is refused", async () => {
    const site = await setUp();
    for (let n = 0; n < 100; n++) await site.submit("/", { crmUrl: "not an address", apiKey: "x" });
    expect(await site.tries(SANDBOX_KEY)).toBe(303);
  });
});
