import { describe, expect, it } from "vitest";
import type { Job } from "../../../../src/domain/delivery.ts";
import { createBulk } from "../../../../src/module/vendor/bulk.ts";
import type { EndedRef } from "../../../../src/store/messages.ts";
import { busyConsole, CONSOLE_TOKEN } from "../../../support/console.ts";
import { agentSays, chatOf } from "../../../support/events.ts";
import { roomFor } from "../../../support/room.ts";
import { takeLease } from "../../../support/store.ts";

const form = (fields: Record<string, string>) => ({
  method: "POST",
  body: new URLSearchParams(fields),
  headers: { host: "console.example", origin: "http://console.example" },
});
const BLOCKED = `the bot was blocked <script>alert(1)</script>`;
const REASON = { state: "dead", code: "access_restricted", error: BLOCKED };

/** The console, with messages of two accounts that fail for the same reason. */
async function outage(count = 3) {
  const made = await busyConsole();
  const { site, store, clock, account, channel, other } = made;
  // The channels work again.
  for (const { id } of [channel, other]) await store.channels.setState(id, "active");
  const fail = async (each: typeof channel, name: string, state: "dead" | "held" = "dead") => {
    const lease = await takeLease(store, each.accountId, "test");
    await store.outbox.acceptOutbound(each, {
      key: name,
      act: agentSays(name, `text ${name}`, `c-${name}`),
      patienceMs: 60_000,
    });
    const job = (await store.outbox.claim(lease, roomFor(99))).find((each) => chatOf(each) === `c-${name}`) as Job;
    const next = state === "dead" ? { state, code: "access_restricted" as const } : { state, unsure: 1 };
    await store.outbox.failed(job, next, BLOCKED);
    return job.id;
  };
  const ids: Job["id"][] = [];
  for (let n = 0; n < count; n++) ids.push(await fail(n % 2 === 0 ? channel : other, `90${n}`));
  const opened = await site.request("/sign-in", form({ token: CONSOLE_TOKEN }));
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (path: string, init: RequestInit = {}) =>
    site.request(path, { ...init, headers: { cookie, ...(init.headers as Record<string, string>) } });
  const at = (path: string, fields: Record<string, string>) => ask(`${path}?${new URLSearchParams(fields)}`);
  const page = async (path: string, fields: Record<string, string>) => (await at(path, fields)).text();
  const fieldsOf = (html: string): Record<string, string> =>
    Object.fromEntries(
      [...html.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
        name,
        value.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
      ]),
    );
  /** Asks, confirms, and resolves with the page that says what was done. */
  const confirm = async (what: string, which: Record<string, string>, meanwhile = async () => {}) => {
    const asked = await page("/undelivered/all", { ...which, what });
    await meanwhile();
    const fields = fieldsOf(asked.slice(asked.indexOf("data-ask")));
    const answer = await ask("/undelivered/all", form(fields));
    expect(answer.status).toBe(303);
    return { asked, fields, done: await (await ask(answer.headers.get("location") ?? "")).text() };
  };
  const states = async () => {
    const found = await store.stories.some(ids);
    return Object.fromEntries(found.map(({ id, state }) => [id, state]));
  };
  return { ...made, account, clock, ids, fail, ask, at, page, confirm, states };
}

describe("the console's page of a reason", () => {
  it("has its messages of all accounts, filtered by account, time and state, and leads to each; a hostile reason is text", async () => {
    const { page, ids, account, clock } = await outage();
    const list = await page("/undelivered", {});
    expect(list).toContain("/undelivered/reason?state=dead&amp;code=access_restricted&amp;error=the+bot+was+blocked");
    expect(list).not.toContain("<script>alert");
    const shown = await page("/undelivered/reason", REASON);
    expect(shown).not.toContain("<script>alert");
    expect(shown).toMatch(/3 messages of\s+2 accounts/);
    for (const id of ids) expect(shown).toContain(`href="/messages/${id}"`);
    const own = await page("/undelivered/reason", { ...REASON, account: "shop.retailcrm.ru" });
    expect(own).toMatch(/2 messages of\s+one account/);
    expect(await page("/undelivered/reason", { ...REASON, account: account.id })).toMatch(/2 messages/);
    const day = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 16);
    expect(await page("/undelivered/reason", { ...REASON, from: day(-1), to: day(1) })).toMatch(/3 messages/);
    expect(await page("/undelivered/reason", { ...REASON, from: day(1) })).toContain("Nothing is like that");
    expect(await page("/undelivered/reason", { ...REASON, state: "held" })).toContain("Nothing is like that");
  });

  it("refuses filters that make no sense in words, and does nothing with them", async () => {
    const { at, ask, page, states, ids } = await outage();
    const formToken = /name="formToken" value="([^"]+)"/.exec(await page("/undelivered", {}))?.[1] ?? "";
    const refused: [Record<string, string>, string][] = [
      [{ account: "<b>nobody" }, "There is no account “&lt;b&gt;nobody”."],
      [{ from: "2026-02-31T10:00" }, "“2026-02-31T10:00” is no time"],
      [{ to: "tomorrow" }, "“tomorrow” is no time"],
      [{ from: "2026-02-02", to: "2026-02-01" }, "The first time is after the second."],
    ];
    for (const [filter, words] of refused) {
      for (const answer of [
        await at("/undelivered/reason", { ...REASON, ...filter }),
        await at("/undelivered/all", { ...REASON, ...filter, what: "again" }),
        await ask(
          "/undelivered/all",
          form({ ...REASON, ...filter, what: "discard", until: "9999999999999", formToken }),
        ),
      ])
        expect([answer.status, (await answer.text()).includes(words)], words).toEqual([422, true]);
    }
    const incomplete: Record<string, string>[] = [
      { what: "burn", until: "9" },
      { what: "discard", until: "soon" },
      { what: "discard" },
    ];
    for (const fields of incomplete)
      expect((await ask("/undelivered/all", form({ ...REASON, ...fields, formToken }))).status).toBe(422);
    const forged = await ask("/undelivered/all", form({ ...REASON, what: "discard", until: "9999999999999" }));
    expect(forged.status).toBe(403);
    expect(Object.values(await states())).toEqual(ids.map(() => "dead"));
  });
});

describe("an act on all messages of a reason", () => {
  it("says first what it would do, then does that; what fails meanwhile stays; the audit has the act and each message", async () => {
    const { confirm, fail, channel, clock, states, store, account, ids } = await outage();
    const { asked, done } = await confirm("again", REASON, async () => {
      clock.leap(1);
      ids.push(await fail(channel, "95"));
    });
    expect(asked).toContain("Send 3 messages again?");
    expect(asked).toMatch(/3 messages of\s+2 accounts/);
    expect(done).toContain("3 messages will be sent again");
    expect(Object.values(await states())).toEqual(["ready", "ready", "ready", "dead"]);
    const acts = await store.audit.list({ limit: 20 });
    expect(acts[0]).toMatchObject({
      ...{ actor: "operator", action: "messages sent again in bulk", accountId: undefined },
      detail: { count: 3, accounts: 2, state: "dead", code: "access_restricted" },
    });
    expect(JSON.stringify(acts), "words that no erasure finds").not.toContain(BLOCKED);
    const own = acts.filter(
      (act) => act.accountId === account.id && act.action === "message sent again" && act.actor === "operator",
    );
    expect(own.map(({ detail }) => detail.code)).toEqual(["access_restricted", "access_restricted"]);
  });

  it("discards them for their accounts, which can restore them; held ones are given up", async () => {
    const { confirm, states, fail, channel, store, account, ids, clock } = await outage(2);
    const { asked, done } = await confirm("discard", { ...REASON, account: account.id });
    expect(asked).toContain("Discard one message?");
    expect(done).toContain("one message discarded");
    const [own, others] = ids as [Job["id"], Job["id"]];
    expect(await states()).toEqual({ [own]: "dropped", [others]: "dead" });
    const [act] = await store.audit.list({ limit: 1 });
    expect(JSON.stringify(act), "an account that no erasure finds").not.toContain(account.id);
    expect(await store.outbox.restored(account.id, own)).toBe(true);
    const held = await fail(channel, "96", "held");
    ids.push(held);
    clock.leap(1);
    const gone = await confirm("discard", { state: "held", error: BLOCKED });
    expect(gone.asked).toContain("They are given up, though they may have been delivered");
    expect((await states())[held]).toBe("dropped");
    expect((await store.ledger(account.id)).map(({ hole }) => hole).filter(Boolean)).toEqual([]);
  });

  it("does nothing twice, and says when somebody else was faster", async () => {
    const { confirm, at, ask } = await outage();
    const { fields } = await confirm("discard", REASON);
    const again = await ask("/undelivered/all", form(fields));
    expect(await (await ask(again.headers.get("location") ?? "")).text()).toContain("0 messages discarded");
    expect((await at("/undelivered/all", { ...REASON, what: "discard" })).headers.get("location")).toContain(
      "/undelivered/reason?",
    );
  });

  it("names what cannot be read, and sends the rest", async () => {
    const { confirm, store, ids } = await outage();
    const real = store.dead.list;
    store.dead.list = async (filter) =>
      (await real(filter)).map((each) => ({ ...each, unreadable: each.id === ids[0] }));
    const { asked } = await confirm("again", REASON);
    expect(asked).toContain("Send 2 messages again?");
    expect(asked).toMatch(/one message\s+cannot be read, and so not be sent/);
  });
});

it("warns of what may have been delivered before it is sent again, whatever it ended with", async () => {
  const { confirm, store, ids, page } = await outage();
  expect(await page("/undelivered/all", { ...REASON, what: "again" })).not.toContain("may have been delivered");
  const real = store.dead.refs;
  store.dead.refs = async (filter) =>
    (await real(filter)).map((each) => ({ ...each, unsure: each.id === ids[0] ? 1 : 0 }));
  expect((await confirm("again", REASON)).asked).toMatch(/one message\s+may have been delivered: their customers may/);
});

describe("a long act", () => {
  it("stops after some seconds with the rest left, and a repeat goes on there: each message once", async () => {
    const { store, account, channel, fail, clock, ids } = await outage(0);
    const count = 230;
    for (let n = 0; n < count; n++) ids.push(await fail(channel, `7${n}`));
    const woken: string[] = [];
    const sizes: number[] = [];
    const dead = {
      ...store.dead,
      replay(some: EndedRef[], patienceMs: number) {
        sizes.push(some.length);
        clock.leap(6_000);
        return store.dead.replay(some, patienceMs);
      },
    };
    const bulk = createBulk({ store: { ...store, dead }, clock, outboundPatienceMs: 1, wake: (id) => woken.push(id) });
    const which = { state: "dead", error: BLOCKED } as const;
    const { until, ...found } = await bulk.rehearse(which);
    expect(found).toMatchObject({ count, accounts: 1, unreadable: 0 });
    expect(await bulk.run("again", which, until)).toEqual({ done: 200, failed: 0, left: 30 });
    expect(await bulk.run("again", which, until)).toEqual({ done: 30, failed: 0, left: 0 });
    expect([sizes, [...new Set(woken)]]).toEqual([[100, 100, 30], [account.id]]);
    expect(await bulk.run("again", which, until)).toEqual({ done: 0, failed: 0, left: 0 });
  });

  it("sends one message again, or discards it, from what became of it; twice does nothing", async () => {
    const { ask, page, ids, store } = await outage(2);
    const [first, second] = ids as [Job["id"], Job["id"]];
    const formToken = /name="formToken" value="([^"]+)"/.exec(await page(`/messages/${first}`, {}))?.[1] ?? "";
    const act = async (id: number, what: string, token = formToken) =>
      (await ask(`/messages/${id}/${what}`, form({ formToken: token }))).headers.get("location");
    expect(await act(first, "again", "forged")).toBeNull();
    expect(await act(first, "again")).toBe(`/messages/${first}?done=again`);
    expect(await act(first, "again")).toBe(`/messages/${first}?done=not`);
    expect(await page(`/messages/${first}`, { done: "again" })).toContain("It is sent again");
    expect(await page(`/messages/${first}`, {})).not.toContain("What can be done");
    expect(await act(second, "discard")).toBe(`/messages/${second}?done=discard`);
    expect(await act(9_999, "discard")).toBe("/messages/9999?done=not");
    const acts = await store.audit.list({ limit: 9 });
    expect(acts.map(({ action, detail }) => [action, detail.job]).slice(0, 2)).toEqual([
      ["message discarded", second],
      ["message sent again", first],
    ]);
    expect((await ask(`/messages/${first}/again`)).headers.get("location")).toBe(`/messages/${first}`);
  });
});
