import { expect, it } from "vitest";
import { handClock } from "../support/clock.ts";
import { customerSays } from "../support/events.ts";
import { gangway, gangwayProcess } from "../support/gangway.ts";
import { rowsOf } from "../support/rows.ts";
import { addAccount, addChannel, oneChannel } from "../support/store.ts";
import { tracesIn } from "../support/traces.ts";
import { until } from "../support/until.ts";

async function talkative() {
  const made = await oneChannel({ clock: handClock(Date.now()) });
  const { store, channel, account } = made;
  for (const chat of ["ann4711", "bob4712"])
    await store.outbox.acceptInbound(channel, { events: [customerSays(`m-${chat}`, `words of ${chat}`, chat)] });
  return { ...made, of: ["--account", account.crmUrl] };
}

it("gangway erase customer lists, then erases next to the running server, and names the backups that stay", async () => {
  const { folder, store, channel, of } = await talkative();
  await gangway(folder, ["backup", `${folder}/before.db`]);
  const listed = await gangway(folder, ["erase", "customer", ...of, "--find", "words of ann"]);
  expect(listed.out).toMatch(new RegExp(`${channel.id}\\s+ann4711\\s+ann4711\\s+Visitor\\s+1`));
  const named = ["--channel", channel.id, "--chat", "ann4711"];
  const erased = await gangway(folder, ["erase", "customer", ...of, ...named]);
  expect([erased.code, erased.out]).toEqual([0, expect.stringContaining("Erased: 1 messages")]);
  expect(erased.out).toContain(`${folder}/before.db`);
  // The server does the rest.
  expect(await store.erasure.removeTraces()).toBe(true);
  const left = tracesIn(folder, ["ann4711"]).filter((trace) => !trace.includes("before.db"));
  expect(left).toEqual([]);
  expect(tracesIn(folder, ["bob4712"])).not.toEqual([]);
  const again = await gangway(folder, ["erase", "customer", ...of, ...named]);
  expect([again.code, again.out]).toEqual([1, expect.stringContaining("no such chat")]);
});

it("gangway erase account refuses one that is connected, and erases one that is not", async () => {
  const { folder, store, of } = await talkative();
  await addChannel(store, await addAccount(store, "other"));
  const refused = await gangway(folder, ["erase", "account", ...of]);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("disconnect it on its page first")]);
  expect((await gangway(folder, ["erase", "account", ...of, "--connected"])).code).toBe(0);
  expect((await store.accounts.list()).map(({ crmUrl }) => crmUrl)).toEqual(["https://other.retailcrm.ru"]);
  expect(await store.erasure.removeTraces()).toBe(true);
  expect(tracesIn(folder, ["ann4711", "shop.retailcrm"])).toEqual([]);
});

it("gangway erase account that is killed on its way is finished by a repeat", async () => {
  const { folder, store, channel, of } = await talkative();
  for (let n = 0; n < 4_000; n += 500) {
    const events = Array.from({ length: 500 }, (_, m) => customerSays(`n-${n + m}`, "words", "cid4713"));
    await store.outbox.acceptInbound(channel, { events });
  }
  const left = () => rowsOf(folder, ["message"]).message?.length ?? 0;
  const all = left();
  const command = gangwayProcess(folder, ["erase", "account", ...of, "--connected"]);
  await until("some of it to be gone", () => left() < all);
  command.kill("SIGKILL");
  expect(rowsOf(folder, ["erasure"]).erasure).toHaveLength(1);
  expect(left()).toBeGreaterThan(0);
  const again = await gangway(folder, ["erase", "account", ...of]);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining("Erased: 4002 messages")]);
  expect(await store.erasure.removeTraces()).toBe(true);
  expect(tracesIn(folder, ["ann4711", "cid4713", "shop.retailcrm"])).toEqual([]);
});

it("gangway erase says what is missing", async () => {
  const { folder, of } = await talkative();
  expect(await gangway(folder, ["erase", "customer", ...of])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--channel is missing"),
  });
  expect((await gangway(folder, ["erase"])).err).toContain("customer, account");
});
