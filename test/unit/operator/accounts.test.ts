import { describe, expect, it } from "vitest";
import { handClock } from "../../support/clock.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { gangway } from "../../support/gangway.ts";
import { addAccount } from "../../support/store.ts";

describe.each(ENGINES)("the list of accounts, on $name,", (engine) => {
  async function setUp() {
    const { store, account, folder, env } = await oneChannelOn(engine, { clock: handClock(Date.now()) });
    const [working, paused] = [account, await addAccount(store, "other")];
    const run = (...args: string[]) => gangway(folder, ["accounts", ...args], env);
    await run("pause", paused.id, "--reason", "unpaid");
    return { working, paused, run };
  }

  it("shows all accounts, or those in one state", async () => {
    const { working, paused, run } = await setUp();
    const ids = async (...args: string[]) => {
      const { accounts } = (await run("list", "--json", ...args)).json() as unknown as { accounts: { id: string }[] };
      return accounts.map(({ id }) => id).sort();
    };
    expect(await ids()).toEqual([working.id, paused.id].sort());
    expect(await ids("--state", "working")).toEqual([working.id]);
    expect(await ids("--state", "paused")).toEqual([paused.id]);
    expect((await run("list", "--state", "paused")).out).not.toContain(working.crmUrl);
    const none = await run("list", "--state", "frozen");
    expect([none.code, none.out]).toEqual([0, "No account is in the state frozen.\n"]);
  });

  it("refuses an unknown state, and names those that there are", async () => {
    const { run } = await setUp();
    const refused = await run("list", "--state", "asleep");
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain('--state should be one of working, paused, frozen, off, not "asleep"');
    expect((await run("list", "--help")).out).toContain("working, paused, frozen, off");
  });
});
