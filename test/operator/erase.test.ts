import { expect, it } from "vitest";
import { handClock } from "../support/clock.ts";
import { customerSays } from "../support/events.ts";
import { gangway } from "../support/gangway.ts";
import { addAccount, addChannel, oneChannel } from "../support/store.ts";
import { tracesIn } from "../support/traces.ts";

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

it("gangway erase says what is missing", async () => {
  const { folder, of } = await talkative();
  expect(await gangway(folder, ["erase", "customer", ...of])).toMatchObject({
    code: 2,
    err: expect.stringContaining("--channel is missing"),
  });
  expect((await gangway(folder, ["erase"])).err).toContain("customer, account");
});
