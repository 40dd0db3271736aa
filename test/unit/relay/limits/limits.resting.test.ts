import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { createResting } from "../../../../src/relay/limits/limits.ts";
import { customerSays } from "../../../support/events.ts";
import { answer, recordingGateway } from "../../../support/gateway.ts";
import { relayLives } from "../../../support/lives.ts";
import { silentLog } from "../../../support/log.ts";
import { oneChannel } from "../../../support/store.ts";
import { bottles } from "../../../system/contract/toy/bottles.ts";

const [SECOND, MINUTE] = [1_000, 60_000];

/** An account whose token the gateway accepts or refuses as the test says. */
async function setUp() {
  const { clock, store, account } = await oneChannel();
  const gateway: { says: "good" | "refused" | "nothing"; probes: number[]; ms: number } = {
    says: "refused",
    probes: [],
    ms: 0,
  };
  const woken: string[] = [];
  const check = async () => {
    gateway.probes.push(clock.now());
    if (gateway.ms > 0) await pause(clock, gateway.ms);
    if (gateway.says === "refused") throw new DeliveryError({ type: "reconnect" }, "gateway answered 403: no");
    if (gateway.says === "nothing") throw new DeliveryError({ type: "retry" }, "gateway: timeout");
  };
  const gatewayOf = (_: Account) => ({ check });
  const resting = createResting({ store, gatewayOf, clock, log: silentLog, wake: (id) => woken.push(id) });
  onTestFinished(() => resting.stop());
  const trouble = async () => (await store.accounts.byId(account.id))?.trouble;
  const restsUntil = async () => store.outbox.nextDue(account.id).later;
  return { clock, store, account, gateway, woken, resting, trouble, restsUntil };
}

describe("an account whose token the gateway refuses", () => {
  it("is probed with one call at a time, in growing gaps of a minute at most", async () => {
    const { clock, account, gateway, resting, trouble } = await setUp();
    const began = clock.now();
    await Promise.all([resting.rest(account.id, "no"), resting.rest(account.id, "no")]);
    await clock.forward(5 * MINUTE);
    const gaps = gateway.probes.map((at, n) => at - (gateway.probes[n - 1] ?? began));
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * SECOND));
    expect(await trouble()).toBe("gateway answered 403: no");
  });

  it("resumes at once when a probe passes, and is not reported again", async () => {
    const { clock, account, gateway, woken, resting, trouble } = await setUp();
    await resting.rest(account.id, "no");
    await clock.forward(10 * SECOND);
    gateway.says = "good";
    await clock.forward(8 * SECOND);
    expect([woken, await trouble()]).toEqual([[account.id], undefined]);
    const { length } = gateway.probes;
    await clock.forward(5 * MINUTE);
    expect(gateway.probes).toHaveLength(length);
  });

  it("keeps resting while probes get no clear answer", async () => {
    const { clock, account, gateway, woken, resting, trouble } = await setUp();
    await resting.rest(account.id, "no");
    gateway.says = "nothing";
    await clock.forward(10 * MINUTE);
    expect([woken, await trouble()]).toEqual([[], "no"]);
  });
});

describe.each(["off", "frozen"])("an account that is %s", (how) => {
  const [working, stopped] = [
    { active: true, frozen: false },
    { active: how !== "off", frozen: how === "frozen" },
  ];

  it("is not probed, and its probes restart once it works", async () => {
    const { clock, store, account, gateway, resting, trouble } = await setUp();
    const set = (activity: typeof working) => store.accounts.setActivity(account.id, activity, MINUTE);
    await resting.rest(account.id, "no");
    await clock.forward(4 * SECOND);
    expect(gateway.probes).toHaveLength(2);
    await set(stopped);
    await clock.forward(5 * MINUTE);
    resting.resume(account.id);
    await clock.forward(5 * MINUTE);
    expect([gateway.probes.length, await trouble()]).toEqual([2, "gateway answered 403: no"]);
    await set(working);
    gateway.says = "good";
    resting.resume(account.id);
    await clock.forward(2 * SECOND);
    expect([gateway.probes.length, await trouble()]).toEqual([3, undefined]);
  });
});

describe("an account that resumes while a probe waits for its answer", () => {
  it.each(["refused", "nothing"] as const)("is not put to rest by that answer: %s", async (says) => {
    const { clock, store, account, gateway, resting, trouble } = await setUp();
    await resting.rest(account.id, "no");
    Object.assign(gateway, { says, ms: 20 * SECOND });
    await clock.forward(5 * SECOND);
    expect(gateway.probes).toHaveLength(1);
    await store.accounts.bind({ ...account, gatewayToken: "another" });
    await clock.forward(20 * SECOND);
    expect(await trouble()).toBeUndefined();
  });

  it("is probed again if another refusal comes while it is being resumed", async () => {
    const { clock, store, account, gateway, woken, resting } = await setUp();
    const { setTrouble } = store.accounts;
    let refusal: Promise<void> | undefined;
    store.accounts.setTrouble = async (id, given) => {
      const written = setTrouble(id, given);
      if (given === undefined) refusal ??= resting.rest(id, "no");
      // The refusal is committed first.
      await refusal;
      await written;
    };
    await resting.rest(account.id, "no");
    gateway.says = "good";
    await clock.forward(MINUTE);
    await refusal;
    expect([gateway.probes.length, woken]).toEqual([2, [account.id, account.id]]);
  });
});

describe("a gateway that refuses", () => {
  async function refusing(refuses: (path: string, count: number) => boolean) {
    const gateway = recordingGateway();
    const counts = { refused: 0 };
    const lives = await relayLives({
      adapter: bottles,
      call: (clock) => async (request) => {
        const { pathname } = new URL(request.url);
        if (refuses(pathname, counts.refused)) {
          counts.refused += 1;
          return answer(403, { errors: ["Forbidden"] });
        }
        return request.method === "GET" ? answer(200, []) : gateway.call(clock)(request);
      },
    });
    await lives.begin();
    const say = async (id: string) => {
      await lives.store().outbox.acceptInbound(lives.channel, { events: [customerSays(id, id, id)] });
      lives.wake();
    };
    const taken = () => gateway.taken.map(({ externalId }) => externalId);
    return { ...lives, say, taken };
  }

  it("one call rests nothing: the call is repeated, and the account has no trouble", async () => {
    const {
      clock,
      say,
      taken,
      store,
      account,
      agentSays: agent,
    } = await refusing((path, count) => count === 0 && path.endsWith("/messages"));
    await say("m1");
    await clock.forward(10);
    await say("m2");
    for (let n = 1; n <= 10; n++) await agent(`${n}`, "ahoy", `agent-${n}`);
    await clock.forward(5 * SECOND);
    expect(taken().filter(Boolean).sort()).toEqual(["m1", "m2"]);
    expect(taken()).toHaveLength(12);
    expect((await store().accounts.byId(account.id))?.trouble).toBeUndefined();
  });

  it("every call for a while rests only work toward it, which resumes with the next probe", async () => {
    let dead = true;
    const { clock, say, taken, store, account, agentSays: agent, wake } = await refusing(() => dead);
    await say("m1");
    await clock.forward(SECOND);
    for (let n = 1; n <= 3; n++) await agent(`${n}`, "ahoy", `agent-${n}`);
    wake();
    await clock.forward(20 * SECOND);
    // Delivered to the messenger; the ack for the gateway waits.
    const [line] = await store().ledger(account.id);
    expect(line).toMatchObject({ delivered: 3, waiting: 1, acks: { owed: 3, waiting: 3 } });
    expect(taken()).toEqual([]);
    dead = false;
    await clock.forward(32 * SECOND);
    expect(taken()).toHaveLength(4);
  });
});
