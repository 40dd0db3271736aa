import { describe, expect, it } from "vitest";
import { handClock } from "../../support/clock.ts";
import { ENGINES, heard, oneChannelOn } from "../../support/engines.ts";
import { gangway } from "../../support/gangway.ts";

describe.each(ENGINES)("the commands that pause, on $name,", (engine) => {
  async function setUp() {
    const made = await oneChannelOn(engine, { clock: handClock(Date.now()) });
    const { folder, env } = made;
    const run = (...args: string[]) => gangway(folder, ["accounts", ...args], env);
    return { ...made, run };
  }

  it("pause and resume an account beside the server, tell it apart in lists, and are idempotent", async () => {
    const { run, store, account } = await setUp();
    const paused = await run("pause", account.crmUrl, "--reason", "unpaid since May");
    expect([paused.code, paused.out]).toEqual([0, expect.stringContaining("is paused: customers' messages are kept")]);
    await heard(store);
    expect((await store.accounts.byId(account.id))?.pauseReason, "the server sees it").toBe("unpaid since May");
    const again = await run("pause", account.id, "--reason", "unpaid since May");
    expect([again.code, again.out]).toEqual([
      0,
      expect.stringMatching(/is paused already since \d{4}-\d\d-\d\dT.*, for this reason/),
    ]);
    expect((await run("list")).out).toMatch(/ paused .*paused by you: unpaid since May/);
    const shown = await run("show", account.id);
    expect(shown.out).toContain("state: paused");
    expect(shown.out).toContain("paused: unpaid since May");
    const resumed = await run("resume", account.id);
    expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining("it was paused for this reason: unpaid")]);
    expect((await run("resume", account.id)).out).toContain("is not paused by you: nothing has changed");
    const acts = await store.audit.list({ accountId: account.id, limit: 9 });
    expect(acts.map(({ actor, action, detail }) => [actor, action, detail.through, detail.reason])).toEqual([
      ["operator", "account resumed", "command", undefined],
      ["operator", "account paused", "command", "unpaid since May"],
    ]);
  });

  it("pause one channel, and say in words what they refuse", async () => {
    const { run, store, account, channel } = await setUp();
    const { code, out } = await run("pause", account.id, "--channel", channel.id, "--reason", "spam");
    expect([code, out]).toEqual([0, expect.stringContaining(`The channel ${channel.name} is paused`)]);
    expect((await run("show", account.id)).out).toContain("paused by you: spam");
    for (const [args, words] of [
      [["pause", "nobody.example", "--reason", "x"], "There is no account nobody.example"],
      [["pause", account.id, "--channel", "none", "--reason", "x"], "The account has no channel none"],
      [["pause", account.id], "A reason is needed"],
      [["pause", account.id, "--reason", "x".repeat(501)], "The reason is too long: at most 500 characters"],
      [["pause", account.id, "--reason", "a\nb"], "The reason is one line of plain text"],
      [["resume", "nobody.example"], "There is no account nobody.example"],
      [["limit", account.id, "--calls", "0"], "Calls: a whole number from 1 to 64, or default"],
      [["limit", account.id, "--jobs", "9999999"], "Jobs: a whole number from 10 to 100000, or default"],
    ] as const) {
      const refused = await run(...args);
      expect([refused.code, refused.out], args.join(" ")).toEqual([1, expect.stringContaining(words)]);
    }
    expect((await store.accounts.byId(account.id))?.pauseReason).toBeUndefined();
    expect((await run("resume", account.id, "--channel", channel.id)).out).toContain("is resumed");
  });

  it("set an account's limits, show them, and set them back", async () => {
    const { run, store, account } = await setUp();
    expect((await run("limit", account.id)).out).toBe("calls: 8 (the server's)\njobs: 10000 (the server's)\n");
    expect((await run("limit", account.id, "--calls", "2")).out).toContain("calls: 2\n");
    expect((await run("limit", account.id, "--jobs", "500")).out).toBe("calls: 2\njobs: 500\n");
    await heard(store);
    expect((await store.accounts.byId(account.id))?.limits).toEqual({ calls: 2, jobs: 500 });
    expect((await run("show", account.id)).out).toContain("limits: calls 2, jobs 500");
    expect((await run("list")).out).toContain("calls 2, jobs 500");
    const json = (await run("limit", account.id, "--calls", "default", "--json")).json();
    expect(json).toEqual({ ok: true, limits: { jobs: 500 } });
  });
});
