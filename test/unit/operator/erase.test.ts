import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { handClock } from "../../support/clock.ts";
import { onPostgres } from "../../support/engine.ts";
import { ENGINES, oneChannelOn, SQLITE, type TestedEngine } from "../../support/engines.ts";
import { agentSays, customerSays } from "../../support/events.ts";
import { gangway, gangwayProcess } from "../../support/gangway.ts";
import { addAccount, addChannel } from "../../support/store.ts";
import { withoutTraces } from "../../support/traces.ts";
import { until } from "../../support/until.ts";

async function talkative(engine: TestedEngine) {
  const made = await oneChannelOn(engine, { clock: handClock(Date.now()) });
  const { store, channel, account, folder, env } = made;
  for (const chat of ["ann4711", "bob4712"])
    await store.outbox.acceptInbound(channel, { events: [customerSays(`m-${chat}`, `words of ${chat}`, chat)] });
  const of = ["--account", account.crmUrl];
  const run = (...args: string[]) => gangway(folder, args, env);
  return { ...made, run, of };
}

/** Before the newest message is deleted, SQLite counts without end, and PostgreSQL waits for a lock. */
const HOLD = onPostgres
  ? `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN old; END $$;
    CREATE TRIGGER hold BEFORE DELETE ON message FOR EACH ROW WHEN (old.dedupe_key = 'n-499') EXECUTE FUNCTION hold()`
  : `CREATE TRIGGER hold BEFORE DELETE ON message WHEN old.dedupe_key = 'n-499'
    BEGIN SELECT count(*) FROM (WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT 1 FROM endless) SELECT n FROM endless); END`;

/** An erasure stands still in the middle until the answer is called. */
async function heldUp(url: string | undefined, change: (statement: string) => Promise<void>) {
  await change(HOLD);
  if (url === undefined) return () => change("DROP TRIGGER hold");
  const holder = new Client({ connectionString: url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query("SELECT pg_advisory_lock(4711)");
  return async () => {
    await holder.query("SELECT pg_advisory_unlock(4711)");
    // The samples of a column that a trigger names would stay.
    await change("DROP TRIGGER hold ON message");
  };
}

it.skipIf(onPostgres)("gangway erase names the backups of SQLite that still hold the customer", async () => {
  const { folder, traces, run, store, channel, of } = await talkative(SQLITE);
  await run("backup", `${folder}/before.db`);
  const erased = await run("erase", "customer", ...of, "--channel", channel.id, "--chat", "ann4711");
  expect(erased.out).toContain(`${folder}/before.db`);
  await withoutTraces(store);
  expect(new Set(await traces(["ann4711"]))).toEqual(new Set(["ann4711 in before.db"]));
});

describe.each(ENGINES)("gangway export on $name", (engine) => {
  it("prints what is kept of one customer, with both sides' words, and nothing of others; the audit has it", async () => {
    const { run, store, channel, account, of } = await talkative(engine);
    const act = agentSays("77", "an answer to ann", "ann4711");
    await store.outbox.acceptOutbound(channel, { key: "77", act, patienceMs: 60_000 });
    await store.notes.set(channel.id, [
      { key: "seen:ann4711", value: "yesterday" },
      { key: "seen:bob4712", value: "today" },
    ]);
    const { code, out } = await run("export", ...of, "--channel", channel.id, "--chat", "ann4711");
    expect(code).toBe(0);
    const records = JSON.parse(out);
    expect(records).toMatchObject({
      ...{ channelId: channel.id, customer: "ann4711", chats: [{ chat: "ann4711" }], files: [], history: [] },
      messages: [
        { direction: "inbound", content: { content: { text: "words of ann4711" } } },
        { direction: "outbound", content: { content: { text: "an answer to ann" } } },
      ],
      notes: [{ key: "seen:ann4711", value: "yesterday" }],
    });
    expect(out).not.toContain("bob4712");
    for (const secret of [account.apiKey, account.gatewayToken, account.webhookSecret])
      expect(out).not.toContain(secret);
    const [made] = await store.audit.list({ accountId: account.id, limit: 1 });
    expect(made).toMatchObject({ actor: "operator", action: "customer exported", detail: { messages: 2 } });
    expect(JSON.stringify(made)).not.toContain("ann4711");
    const unknown = await run("export", ...of, "--channel", channel.id, "--chat", "nobody");
    expect([unknown.code, unknown.out]).toEqual([1, expect.stringContaining("no such chat")]);
    expect((await run("export", ...of, "--chat", "ann4711")).err).toContain("--channel is missing");
  });

  it("gives of a group one member's part, and nothing until a member is named", async () => {
    const { run, store, channel, of } = await talkative(engine);
    for (const name of ["cleo", "dan"]) {
      const said = {
        ...customerSays(`g-${name}`, `words of ${name}`, "group-9"),
        customer: { id: name, nickname: name },
      };
      await store.outbox.acceptInbound(channel, { events: [said as never] });
    }
    const group = ["export", ...of, "--channel", channel.id, "--chat", "group-9"];
    const whole = await run(...group);
    expect([whole.code, whole.out]).toEqual([1, expect.stringContaining("name one by --customer")]);
    const own = await run(...group, "--customer", "cleo");
    expect([own.code, own.out.includes("words of cleo"), own.out.includes("words of dan")]).toEqual([0, true, false]);
  });
});

describe.each(ENGINES)("gangway erase on $name", (engine) => {
  it("customer lists, then erases next to the running server", async () => {
    const { traces, run, store, channel, of } = await talkative(engine);
    const listed = await run("erase", "customer", ...of, "--find", "words of ann");
    expect(listed.out).toMatch(new RegExp(`${channel.id}\\s+ann4711\\s+ann4711\\s+Visitor\\s+1`));
    const named = ["--channel", channel.id, "--chat", "ann4711"];
    const erased = await run("erase", "customer", ...of, ...named);
    expect([erased.code, erased.out]).toEqual([0, expect.stringContaining("Erased: 1 messages")]);
    // The server does the rest.
    await withoutTraces(store);
    expect(await traces(["ann4711"])).toEqual([]);
    expect(await traces(["bob4712"])).not.toEqual([]);
    const again = await run("erase", "customer", ...of, ...named);
    expect([again.code, again.out]).toEqual([1, expect.stringContaining("no such chat")]);
  });

  it("account refuses one that is connected, and erases one that is not", async () => {
    const { traces, run, store, of } = await talkative(engine);
    await addChannel(store, await addAccount(store, "other"));
    const refused = await run("erase", "account", ...of);
    expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("disconnect it on its page first")]);
    expect((await run("erase", "account", ...of, "--connected")).code).toBe(0);
    expect((await store.accounts.list()).map(({ crmUrl }) => crmUrl)).toEqual(["https://other.retailcrm.ru"]);
    await withoutTraces(store);
    expect(await traces(["ann4711", "shop.retailcrm"])).toEqual([]);
    const gone = await run("erase", "account", ...of);
    expect([gone.code, gone.out]).toEqual([1, expect.stringContaining("There is no account")]);
  });

  it("account that is killed on its way is finished by a repeat", async () => {
    const { folder, env, rows, change, traces, run, store, channel, of } = await talkative(engine);
    const events = Array.from({ length: 500 }, (_, n) => customerSays(`n-${n}`, "words", "cid4713"));
    await store.outbox.acceptInbound(channel, { events });
    // As autovacuum does sooner or later.
    if (onPostgres) await change("ANALYZE");
    const letGo = await heldUp(env.DATABASE_URL, change);
    const killed = gangwayProcess(folder, ["erase", "account", ...of, "--connected"], env);
    await until("some of its batches", async () => (await rows("message")).length < 502);
    killed.kill("SIGKILL");
    expect(await rows("erasure")).toHaveLength(1);
    expect(await rows("message")).not.toEqual([]);
    await letGo();
    // PostgreSQL may take a moment to notice.
    const out = await until("the repeat", async () => {
      const again = await run("erase", "account", ...of);
      return again.code === 0 && again.out;
    });
    expect(out).toContain("Erased: 502 messages");
    await withoutTraces(store);
    expect(await traces(["ann4711", "cid4713", "shop.retailcrm"])).toEqual([]);
  });

  it("says what is missing", async () => {
    const { run, of } = await talkative(engine);
    expect(await run("erase", "customer", ...of)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--channel is missing"),
    });
    expect((await run("erase")).err).toContain("customer, account");
  });
});
