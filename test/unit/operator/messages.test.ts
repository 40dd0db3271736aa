import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import { handClock } from "../../support/clock.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { gangway } from "../../support/gangway.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, takeLease } from "../../support/store.ts";

describe.each(ENGINES)("what became of a message, on $name", (engine) => {
  /** Two accounts; in the first Maria asks, and the answer ends undelivered. */
  async function complaint() {
    const made = await oneChannelOn(engine, { clock: handClock(Date.now()) });
    const { store, account, channel, folder, env } = made;
    const other = await addAccount(store, "other");
    const elsewhere = await addChannel(store, other);
    const asks = { ...customerSays("q", "Do you have blue rope?"), customer: { id: "chat-1", nickname: "Maria" } };
    await store.outbox.acceptInbound(channel, { events: [asks as never] });
    await store.outbox.acceptInbound(elsewhere, { events: [customerSays("x", "Another blue rope")] });
    const act = agentSays("4711", "Yes, twelve metres");
    await store.outbox.acceptOutbound(channel, { key: "sent:4711", act, patienceMs: 60_000 });
    const lease = await takeLease(store, account.id, "test");
    const jobs = await store.outbox.claim(lease, roomFor(9));
    const answer = jobs.find(({ direction }) => direction === "outbound") as Job;
    const next = { state: "dead" as const, code: "access_restricted" as const };
    await store.outbox.failed(answer, next, "the bot was blocked", {
      ack: { gatewayMessageId: "4711" as never, error: { code: "access_restricted", message: "blocked" } },
    });
    const run = (...args: string[]) => gangway(folder, args, env);
    return { account, channel, answer, run };
  }

  it("is found over all accounts by a name, words, an id of CRM or messenger, and the number in a log line", async () => {
    const { account, answer, run } = await complaint();
    for (const what of ["maria", "twelve metres", "4711", String(answer.id), "the bot was blocked"]) {
      const { code, out } = await run("messages", "find", what);
      expect([code, out.includes(`${answer.id} `)], what).toEqual([0, true]);
      expect(out).toContain(account.crmUrl);
      expect(out, "without contents").not.toMatch(/Maria|twelve/);
    }
    expect((await run("messages", "find", "blue rope")).out).toContain("https://other.retailcrm.ru");
    const own = await run("messages", "find", "blue rope", "--account", account.crmUrl, "--text");
    expect(own.out).not.toContain("https://other.retailcrm.ru");
    expect(own.out).toMatch(/Maria +Do you have blue rope\?/);
    const none = await run("messages", "find", "green rope");
    expect([none.code, none.out]).toEqual([1, "Nothing that this server keeps contains that.\n"]);
  });

  it("says how far back words were searched, and searches on from there", async () => {
    const { run, account } = await complaint();
    const newest = await run("messages", "find", "Do you have", "--limit", "2");
    expect([newest.code, newest.out]).toEqual([1, expect.stringMatching(/^None of these messages contains that\.\n/)]);
    const before = /Searched 2 messages, since \S+\. Further back: --before (\d+)/.exec(newest.out)?.[1] ?? "";
    const older = await run("messages", "find", "Do you have", "--limit", "2", "--before", before);
    expect([older.code, older.out.includes(account.crmUrl)]).toEqual([0, true]);
    expect(older.out).not.toContain("Further back");
    const misused = await run("messages", "find", "rope", "--before", "2", "--account", account.crmUrl);
    expect([misused.code, misused.err]).toEqual([2, expect.stringContaining("--account searches all of its messages")]);
    expect((await run("messages", "find", "rope", "--before", "x")).err).toContain('"x" is not a message id');
  });

  it("is told step by step, without its text unless that is asked for", async () => {
    const { answer, run, channel } = await complaint();
    const { code, out } = await run("messages", "show", String(answer.id));
    expect(code).toBe(0);
    for (const words of [channel.name, "state: dead", "id in the CRM: 4711", "came from the CRM"])
      expect(out).toContain(words);
    expect(out).toMatch(
      /an attempt failed: the bot was blocked[\s\S]*not delivered: the bot was blocked \(access_restricted\)/,
    );
    expect(out).not.toContain("twelve");
    expect((await run("messages", "show", String(answer.id), "--text")).out).toContain("text: Yes, twelve metres");
    const told = (await run("messages", "show", String(answer.id), "--json")).json() as unknown as {
      message: { steps: object[] };
    };
    expect(told.message.steps).toHaveLength(3);
    const unknown = await run("messages", "show", "999");
    expect([unknown.code, unknown.out]).toEqual([1, "This server keeps no message 999.\n"]);
  });

  it("shows in its account: channels by what waits and what was not delivered, without a secret", async () => {
    const { account, channel, run } = await complaint();
    const { code, out } = await run("accounts", "show", account.crmUrl);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`${channel.id} +${channel.kind} +${channel.name} +working +1 +0 +1`));
    expect(out).toContain(`Why: gangway dead list --account ${account.id}`);
    for (const secret of [account.apiKey, account.clientId, account.gatewayToken]) expect(out).not.toContain(secret);
    const unknown = await run("accounts", "show", "https://nobody.retailcrm.ru");
    expect([unknown.code, unknown.out]).toEqual([
      1,
      "There is no account https://nobody.retailcrm.ru; see gangway accounts list.\n",
    ]);
  });
});
