import { describe, expect, it } from "vitest";
import type { Job } from "../../../src/domain/delivery.ts";
import type { AccountId } from "../../../src/domain/ids.ts";
import type { Store } from "../../../src/store/store.ts";
import { handClock } from "../../support/clock.ts";
import { onPostgres } from "../../support/engine.ts";
import { ENGINES, oneChannelOn, type TestedEngine } from "../../support/engines.ts";
import { agentSays, chatOf } from "../../support/events.ts";
import { gangway } from "../../support/gangway.ts";
import { LONG } from "../../support/long.ts";
import { roomFor } from "../../support/room.ts";
import { addAccount, addChannel, type StoreChanges, takeLease } from "../../support/store.ts";
import { until } from "../../support/until.ts";
import { working } from "../../support/worker.ts";

const WORDS = "words of a customer";

interface Failing {
  chats?: number;
  state?: "dead" | "held";
  onWork?: StoreChanges["onWork"];
}

async function failing(engine: TestedEngine, count: number, { chats = 1, state = "dead", onWork }: Failing = {}) {
  const made = await oneChannelOn(engine, { clock: handClock(Date.now()), onWork });
  const { folder, env, store, account, channel } = made;
  const names = Array.from({ length: count }, (_, n) => `m${n}`);
  const accepts = names.map((name, n) =>
    store.outbox.acceptOutbound(channel, {
      key: `sent:${name}`,
      act: agentSays(name, WORDS, `chat-${n % chats}`),
      patienceMs: 60_000,
    }),
  );
  await Promise.all(accepts);
  const lease = await takeLease(store, account.id, "test");
  const next = state === "dead" ? { state, code: "access_restricted" as const } : { state, unsure: 1 };
  for (
    let jobs = await store.outbox.claim(lease, roomFor(500));
    jobs.length > 0;
    jobs = await store.outbox.claim(lease, roomFor(500))
  )
    await Promise.all(jobs.map((job) => store.outbox.failed(job, next, "the bot was blocked")));
  const run = (...args: string[]) => gangway(folder, args, env);
  return { ...made, lease, names, run };
}

const acts = (store: Pick<Store, "audit">, action: string) =>
  store.audit.list({ limit: 10_000 }).then((all) => all.filter((act) => act.action === action));

const idsOf = (jobs: Job[]) =>
  jobs.map(({ task }) =>
    task.direction === "outbound" && task.act.type === "message" ? task.act.gatewayMessageId : "",
  );

describe.each(ENGINES)("gangway dead on $name", (engine) => {
  it("replay sends very many again next to the running server, each once", async () => {
    // Each statement of PostgreSQL is a round trip.
    const count = onPostgres ? 100 : LONG ? 1_000 : 250;
    let wake = (_: AccountId) => {};
    const { run, clock, store, lease, names } = await failing(engine, count, { chats: 50, onWork: (id) => wake(id) });
    await store.leases.release([lease]);
    const sent: Job[] = [];
    const { worker } = await working({
      ...{ store, clock, limits: { calls: 16, callsPerAccount: 8 } },
      async perform(job) {
        sent.push(job);
        return {};
      },
    });
    wake = worker.wake;
    const ran = await run("dead", "replay", "--all", "--json");
    expect(ran.json()).toEqual({ ok: true, done: count, missing: [], unreadable: [] });
    expect(ran.code).toBe(0);
    // The worker notices by itself that another process has written.
    for (let n = 0; n < 600 && sent.length < count; n++) await clock.forward(500);
    expect(idsOf(sent).sort()).toEqual([...names].sort());
  });

  it("wakes the server that works for the account, which sends all again in the old order", async () => {
    const { run, store, clock, lease, names } = await failing(engine, 20, { chats: 5 });
    expect((await run("dead", "replay", "--all", "--json")).json()).toMatchObject({ ok: true, done: 20 });
    // They are due at the command's time.
    clock.leap(600_000);
    const sent: Job[] = [];
    await until("all to be sent", async () => {
      const jobs = await store.outbox.claim(lease, roomFor(500));
      for (const job of jobs) await store.outbox.done(job, {});
      sent.push(...jobs);
      return sent.length === 20;
    });
    for (let chat = 0; chat < 5; chat++)
      expect(idsOf(sent.filter((job) => chatOf(job) === `chat-${chat}`))).toEqual(
        names.filter((_, n) => n % 5 === chat),
      );
    expect(sent.every((job) => job.key === String(job.id))).toBe(true);
    expect(new Set((await acts(store, "message sent again")).map((act) => act.detail.job)).size).toBe(20);
  });

  it("lists, shows and filters without message texts, which it shows on request", async () => {
    const { run, account, channel } = await failing(engine, 3);
    const listed = await run("dead", "list", "--json");
    const { messages } = listed.json() as unknown as { messages: { id: number; error: string; channelId: string }[] };
    expect(messages.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(messages[0]).toMatchObject({
      error: "the bot was blocked",
      channelId: channel.id,
      code: "access_restricted",
    });
    const shown = await run("dead", "show", "2");
    expect(shown.out).toContain("key: 2");
    for (const text of [listed.out, shown.out]) expect(text).not.toContain(WORDS);
    expect((await run("dead", "show", "2", "--payload")).out).toContain(WORDS);
    const filtered = async (...options: string[]) => {
      const ran = await run("dead", "list", "--json", ...options);
      return (ran.json() as unknown as { messages: unknown[] }).messages.length;
    };
    expect(await filtered("--account", account.id, "--channel", channel.id, "--from", "1h")).toBe(3);
    expect(await filtered("--to", "1h")).toBe(0);
    expect(await filtered("--account", `${account.crmUrl}/`)).toBe(3);
    expect(await filtered("--id", "1,3")).toBe(2);
    expect(await filtered("--limit", "1")).toBe(1);
    expect(await filtered("--held")).toBe(0);
    const more = async (limit: string) => (await run("dead", "list", "--limit", limit)).out;
    expect(await more("2")).toContain("\nThere are more than these 2; see --limit.\n");
    expect(await more("3")).not.toContain("There are more");
    expect((await run("dead", "list", "--limit", "2", "--json")).json()).toMatchObject({ more: true });
  });

  it.each(["list", "replay", "drop"])(
    "%s knows an account or a channel that there is not from one without messages",
    async (word) => {
      const { run, store, account, channel } = await failing(engine, 1);
      const other = await addChannel(store, await addAccount(store, "other"));
      const said = async (...filter: string[]) => {
        const { code, out } = await run("dead", word, ...filter);
        return `${code} ${out.trim()}`;
      };
      expect(await said("--account", "zzz")).toBe("1 There is no account zzz; see gangway accounts list.");
      for (const id of ["-zz", "--zz"])
        expect(await said("--channel", id)).toBe(`1 There is no channel ${id}; see gangway accounts list.`);
      expect(await said("--account", account.id, "--channel", other.id)).toBe(
        `1 The channel ${other.id} belongs to another account.`,
      );
      expect(await said("--channel", other.id)).toMatch(/^0 (There are no|0 messages)/);
      await store.channels.setState(channel.id, "removed");
      expect(await said("--channel", channel.id)).toMatch(word === "list" ? /\n1 / : /^0 1 message /);
    },
  );

  it("lists held messages and drops them for good, each in the audit", async () => {
    const { run, store, account } = await failing(engine, 3, { chats: 3, state: "held" });
    expect((await run("dead", "list")).out).toContain("There are no dead messages");
    expect((await run("dead", "list", "--held", "--json")).out).toContain('"id":3');
    expect((await run("dead", "drop", "--held", "--id", "1", "--id", "3")).out).toContain("2 messages dropped");
    expect((await store.outbox.ended(account.id, 10)).map(({ id }) => id)).toEqual([2]);
    expect(await store.ledger(account.id)).toMatchObject([{ accepted: 3, refused: 2, held: 1, hole: 0 }]);
    expect((await run("verify")).out).toContain("ok    ledger: 3 accepted events");
    expect((await acts(store, "message dropped")).map((act) => act.detail.job)).toEqual([3, 1]);
  });

  it("takes those of one code, and says in a dry run how many of how many accounts, without touching one", async () => {
    const { run, store, account } = await failing(engine, 3);
    const dry = await run("dead", "drop", "--code", "access_restricted", "--dry-run");
    expect([dry.code, dry.out]).toEqual([0, "3 messages of 1 account would be dropped.\n"]);
    const again = await run("dead", "replay", "--all", "--dry-run", "--json");
    expect(again.json()).toEqual({
      ok: true,
      would: 3,
      accounts: 1,
      unsure: 0,
      dryRun: true,
      missing: [],
      unreadable: [],
    });
    expect((await store.outbox.ended(account.id, 10)).length).toBe(3);
    expect((await run("dead", "drop", "--code", "general")).out).toBe("0 messages dropped.\n");
    expect((await run("dead", "drop", "--code", "access_restricted")).out).toBe("3 messages dropped.\n");
  });

  it("names unreadable messages, shows what is known about them, and drops them", async () => {
    const { run, change, store, account } = await failing(engine, 6);
    const broken = [`{"bro${WORDS}`, "{}", "null", '{"type":"message","chat":"a"}'];
    for (const [n, payload] of broken.entries())
      await change(`UPDATE message SET payload = '${payload}' WHERE id = ${n + 1}`);
    await change("UPDATE message SET work = '{' WHERE id = 5");
    const listed = await run("dead", "list", "--json");
    const { messages } = listed.json() as unknown as { messages: { unreadable: boolean; what: string }[] };
    expect(messages.map(({ unreadable }) => unreadable)).toEqual([true, true, true, true, true, false]);
    expect(messages[0]).toMatchObject({ what: "unreadable", error: "the bot was blocked" });
    expect((await run("dead", "list")).out).toMatch(/^1 .* unreadable /m);
    const shown = await run("dead", "show", "1", "--payload");
    expect([shown.code, shown.out.includes(WORDS)]).toEqual([0, false]);
    expect(shown.out.split("\n")).toEqual(expect.arrayContaining(["unreadable: true", "payload: cannot be read"]));
    const verified = await run("verify");
    expect([verified.code, verified.out.includes("FAIL  contents: 6 messages")]).toEqual([1, true]);
    expect(verified.out.match(/message \d \(dead\) cannot be read/g)).toHaveLength(5);
    const all = await run("dead", "replay", "--all", "--json");
    expect([all.code, all.json()]).toEqual([0, { ok: true, done: 1, missing: [], unreadable: [1, 2, 3, 4, 5] }]);
    const asked = await run("dead", "replay", "--id", "2,3");
    expect([asked.code, asked.out]).toEqual([
      1,
      "0 messages will be sent again.\nUnreadable, so not sent: 2, 3. To delete them: gangway dead drop --id 2,3\n",
    ]);
    const dropped = await run("dead", "drop", "--all");
    expect([dropped.code, dropped.out]).toEqual([0, "5 messages dropped.\n"]);
    expect((await run("verify")).code).toBe(0);
    expect(await store.ledger(account.id)).toMatchObject([{ accepted: 6, refused: 5, waiting: 1, hole: 0 }]);
  });

  it("explains invalid usage, and exits with 2", async () => {
    const { run } = await failing(engine, 1);
    const said = async (...args: string[]) => {
      const { code, err } = await run(...args);
      return `${code} ${err.split("\n")[0]}`;
    };
    expect(await said("dead", "replay")).toBe(
      "2 gangway dead replay: choose messages with --id, --account, --channel, --code, --from, --to, or --all",
    );
    for (const vague of [["--held"], ["--limit", "1"]])
      expect(await said("dead", "drop", ...vague)).toMatch(/^2 .*or --all; --held and --limit are not enough$/);
    for (const empty of ["--account=", "--channel= ", "--from="])
      expect(await said("dead", "drop", empty)).toBe(`2 gangway dead drop: ${empty.split("=")[0]} has no value`);
    const reversed = ["--from", "2026-02-02", "--to", "2026-02-01"];
    expect(await said("dead", "drop", ...reversed)).toBe("2 gangway dead drop: --from should be before --to");
    expect(await said("dead", "drop", "--from", "2026-02-31")).toMatch(
      /^2 .*--from should be a time .*, not "2026-02-31"/,
    );
    expect(await said("audit", "list", ...reversed)).toBe("2 gangway audit list: --from should be before --to");
    expect((await run("audit", "list", "--account", "zzz")).code).toBe(1);
    expect(await said("dead", "list", "--limit", "many")).toContain(
      '--limit should be a positive whole number, not "many"',
    );
    expect(await said("dead", "list", "--from", "yesterday")).toMatch(
      /^2 .*--from should be a time such as 2026-01-31/,
    );
    expect(await said("dead", "list", "--colour")).toBe("2 gangway dead list: Unknown option '--colour'");
    expect(await said("dead", "show", "x")).toBe('2 gangway dead show: "x" is not a message id');
    expect(await said("dead", "show")).toBe("2 gangway dead show: id is missing");
    expect(await said("dead")).toMatch(/^2 gangway: "dead" needs one of: list, show, replay, drop/);
    expect(await said("deaf")).toBe('2 gangway: there is no command "deaf"');
    expect((await run("dead", "show", "77")).code).toBe(1);
    expect((await run("dead", "replay", "--id", "77")).out).toContain("There is no dead message 77");
  });
});
