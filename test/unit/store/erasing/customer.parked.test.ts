import type { ChatId, CustomerId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { byUser } from "../../../../src/store/care.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../../support/engines.ts";
import { customerSays } from "../../../support/events.ts";
import { addAccount, addChannel } from "../../../support/store.ts";

const WORDS = ["ann4711", "ann's words"];

/** Ann and Bob have written; parts of requests that name them are parked for both accounts, and for a login of nobody's. */
async function setUp(engine: TestedEngine) {
  const made = await oneChannelOn(engine);
  const { store, channel } = made;
  const other = await addChannel(store, await addAccount(store, "other"));
  await store.channels.reserveIdentity(channel.id, "toy:1");
  for (const to of [channel, other])
    await store.outbox.acceptInbound(to, { events: [customerSays("a", "ann's words", "ann4711")] });
  const park = (of: string, login: string, to?: typeof channel) =>
    store.parked.park({
      login,
      channel: to,
      request: { path: "", headers: {}, body: JSON.stringify({ of, to: to?.id }) },
    });
  for (const of of ["ann4711", "bob4712"]) {
    await park(of, "toy:1", channel);
    await park(of, "toy:1");
    await park(of, "toy:2", other);
    await park(of, "toy:9");
  }
  const logins = async () => (await made.rows("parked")).map(({ login }) => login);
  return { ...made, other, logins };
}

describe.each(ENGINES)("what is parked, in $name", (engine) => {
  it("a customer's erasure takes the parked parts that name them, for the channel and for its login, and no others", async () => {
    const { store, account, channel, logins } = await setUp(engine);
    const person = { channelId: channel.id, chat: "ann4711" as ChatId, customer: "ann4711" as CustomerId };
    const erased = await store.erasure.customer(account.id, person, byUser("customer erased"));
    expect(erased).toMatchObject({ messages: 1, webhooks: 2 });
    expect(await logins()).toEqual(["toy:2", "toy:9", "toy:1", "toy:1", "toy:2", "toy:9"]);
    expect((await store.parked.figures()).parts).toBe(6);
  });

  it("an account's erasure takes what is parked for its channels and their logins, and no other account's", async () => {
    const { store, account, logins } = await setUp(engine);
    await store.accounts.setActivity(account.id, { active: false, frozen: false }, 1_000);
    await store.erasure.account(account.id, byUser("account erased"));
    expect(await logins()).toEqual(["toy:2", "toy:9", "toy:2", "toy:9"]);
  });

  it("a person's own request takes them out of every channel of the kind and every parked part, and leaves no byte", async () => {
    const { store, traces, channel, other, logins } = await setUp(engine);
    const code = await store.erasure.ask("toy", "ann4711" as CustomerId);
    expect(await store.erasure.asked(code)).toEqual({ at: expect.any(Number), doneAt: undefined });
    expect(await traces(WORDS)).not.toEqual([]);
    const done = await store.erasure.fulfil();
    expect(done).toHaveLength(2);
    expect((await store.erasure.asked(code))?.doneAt).toBeDefined();
    expect(await traces(WORDS)).toEqual([]);
    expect(await logins()).toHaveLength(4);
    for (const { id } of [channel, other]) expect(await store.messages.knowsChat(id, "ann4711" as ChatId)).toBe(false);
    expect(await store.erasure.fulfil()).toEqual([]);
  });

  it("a request that a crash has interrupted is carried out after it, and forgotten in time", async () => {
    const { store, clock } = await setUp(engine);
    const code = await store.erasure.ask("toy", "nobody" as CustomerId);
    expect(await store.erasure.fulfil()).toEqual([]);
    expect((await store.erasure.asked(code))?.doneAt).toBeDefined();
    const living = await store.retention.oldestLive();
    expect((await store.retention.sweep("requests", clock.now(), living, -1)).deleted).toBe(0);
    expect((await store.retention.sweep("requests", clock.now() + 1, living, -1)).deleted).toBe(1);
    expect(await store.erasure.asked(code)).toBeUndefined();
  });
});
