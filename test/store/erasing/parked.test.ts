import { expect, it } from "vitest";
import type { ChatId, CustomerId } from "../../../src/domain/ids.ts";
import { byCustomer, byUser } from "../../../src/store/audit.ts";
import { customerSays } from "../../support/events.ts";
import { rowsOf } from "../../support/rows.ts";
import { addAccount, addChannel, oneChannel } from "../../support/store.ts";
import { tracesIn } from "../../support/traces.ts";

const WORDS = ["ann4711", "ann's words"];

/** Ann and Bob have written; parts of requests that name them are parked for both accounts, and for a login of nobody's. */
async function setUp() {
  const made = await oneChannel();
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
  const logins = () => (rowsOf(made.folder, ["parked"]).parked ?? []).map(({ login }) => login);
  return { ...made, other, logins };
}

it("a customer's erasure takes the parked parts that name them, for the channel and for its login, and no others", async () => {
  const { store, account, channel, logins } = await setUp();
  const person = { channelId: channel.id, chat: "ann4711" as ChatId, customer: "ann4711" as CustomerId };
  const erased = await store.erasure.customer(account.id, person, byUser("customer erased"));
  expect(erased).toMatchObject({ messages: 1, webhooks: 2 });
  expect(logins()).toEqual(["toy:2", "toy:9", "toy:1", "toy:1", "toy:2", "toy:9"]);
  expect((await store.parked.figures()).parts).toBe(6);
});

it("an account's erasure takes what is parked for its channels and their logins, and no other account's", async () => {
  const { store, account, logins } = await setUp();
  await store.accounts.setActivity(account.id, { active: false, frozen: false }, 1_000);
  await store.erasure.account(account.id, byUser("account erased"));
  expect(logins()).toEqual(["toy:2", "toy:9", "toy:2", "toy:9"]);
});

it("a person's own request takes them out of every channel of the kind and every parked part, and leaves no byte", async () => {
  const { store, folder, channel, other, logins } = await setUp();
  const code = await store.erasure.ask("toy", "ann4711" as CustomerId);
  expect(await store.erasure.asked(code)).toEqual({ at: expect.any(Number), doneAt: undefined });
  expect(tracesIn(folder, WORDS)).not.toEqual([]);
  const done = await store.erasure.fulfil(byCustomer("customer erased"));
  expect(done).toHaveLength(2);
  expect((await store.erasure.asked(code))?.doneAt).toBeDefined();
  expect(tracesIn(folder, WORDS)).toEqual([]);
  expect(logins()).toHaveLength(4);
  for (const { id } of [channel, other]) expect(await store.messages.knowsChat(id, "ann4711" as ChatId)).toBe(false);
  expect(await store.erasure.fulfil(byCustomer("customer erased"))).toEqual([]);
});

it("a request that a crash has interrupted is carried out after it, and forgotten in time", async () => {
  const { store, clock } = await setUp();
  const code = await store.erasure.ask("toy", "nobody" as CustomerId);
  expect(await store.erasure.fulfil(byCustomer("customer erased"))).toEqual([]);
  expect((await store.erasure.asked(code))?.doneAt).toBeDefined();
  const living = await store.retention.oldestLive();
  expect((await store.retention.sweep("requests", clock.now(), living, -1)).deleted).toBe(0);
  expect((await store.retention.sweep("requests", clock.now() + 1, living, -1)).deleted).toBe(1);
  expect(await store.erasure.asked(code)).toBeUndefined();
});
