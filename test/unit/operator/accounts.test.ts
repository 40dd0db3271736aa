import { describe, expect, it } from "vitest";
import { handClock } from "../../support/clock.ts";
import { ENGINES, oneChannelOn } from "../../support/engines.ts";
import { customerSays } from "../../support/events.ts";
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

  it("names those whose messages are due and do not leave, before the others; doctor warns of them", async () => {
    const made = await oneChannelOn(engine, { clock: handClock(Date.now() - 600_000) });
    const { store, channel, account, folder, env } = made;
    await addAccount(store, "aside");
    const run = (...args: string[]) => gangway(folder, args, env);
    expect((await run("accounts", "list")).out).not.toContain("has been due");
    await store.outbox.acceptInbound(channel, { events: [customerSays("m-1", "words", "ann")] });
    const listed = (await run("accounts", "list")).out.split("\n");
    expect(listed[1]).toMatch(new RegExp(`^${account.id} .* a message has been due for 10 min$`));
    const checked = (await run("doctor", "--offline")).out;
    expect(checked).toMatch(new RegExp(`warn .*${account.crmUrl}.* a message has been due for 10 min`));
    expect(checked).not.toMatch(/warn .*aside/);
  });

  it("refuses an unknown state, and names those that there are", async () => {
    const { run } = await setUp();
    const refused = await run("list", "--state", "asleep");
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain('--state should be one of working, paused, frozen, off, not "asleep"');
    expect((await run("list", "--help")).out).toContain("working, paused, frozen, off");
  });
});
