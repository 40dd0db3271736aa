import { describe, expect, it } from "vitest";
import { SCOPES } from "../../../../src/domain/vendor.ts";
import { busyApi } from "../../../support/api.ts";
import { HOSTILE } from "../../../support/console.ts";
import { addAccount } from "../../../support/store.ts";

const GETS = [
  "/accounts",
  "/accounts/x",
  "/accounts/x/channels",
  "/messages/1",
  "/undelivered",
  "/undelivered/reasons",
];
const POSTS = ["/messages/search", "/undelivered/retry", "/undelivered/discard", "/accounts/x/replay"];

describe("the API", () => {
  it("answers alike without a valid token, whatever is asked, and to a removed one", async () => {
    const { ask, site, tokenWith, store } = await busyApi();
    const token = await tokenWith("ours", ...SCOPES);
    expect((await ask(token, "/accounts")).status).toBe(200);
    expect(await store.apiTokens.remove("ours")).toBe(true);
    const answers = new Set<string>();
    for (const path of ["", "/", "/elsewhere", "/openapi.json", ...GETS, ...POSTS])
      for (const authorization of [undefined, "Bearer wrong", `Bearer ${token}`, `Basic ${token}`, "Bearer"])
        for (const method of ["GET", "POST", "DELETE"]) {
          const headers = authorization === undefined ? {} : { authorization };
          const answer = await site.request(`/api/v1${path}`, { method, headers });
          answers.add(
            `${answer.status} ${answer.headers.get("content-type")} ${answer.headers.get("www-authenticate")} ${await answer.text()}`,
          );
        }
    expect([...answers]).toEqual([
      '401 application/problem+json Bearer {"title":"A valid token is required","status":401}',
    ]);
  });

  it("refuses in words what a token has no scope for, before it reads what was asked", async () => {
    const { ask, tokenWith } = await busyApi();
    const nothing = await tokenWith("nothing");
    for (const path of GETS) expect((await ask(nothing, path)).json).toMatchObject({ status: 403 });
    for (const path of POSTS) {
      const { json } = await ask(nothing, path, "no JSON");
      expect(json.title).toMatch(/^The token "nothing" lacks the scope \w+:\w+$/);
    }
    const reader = await tokenWith("reader", "undelivered:read");
    expect((await ask(reader, "/undelivered")).status).toBe(200);
    expect((await ask(reader, "/undelivered/retry", { ids: [1] })).status).toBe(403);
  });

  it("shows accounts, channels and troubles as they are, hostile names as JSON text", async () => {
    const { ask, tokenWith, account, channel } = await busyApi();
    const token = await tokenWith("ours", "accounts:read");
    const found = await ask(token, "/accounts?text=shop");
    expect(found.json.accounts).toMatchObject([{ id: account.id, crmUrl: account.crmUrl, standing: "stopped" }]);
    expect((await ask(token, "/accounts?standing=off")).json.accounts).toEqual([]);
    expect((await ask(token, `/accounts/${account.id}`)).json).toMatchObject({ id: account.id, channels: 2 });
    const { json, headers } = await ask(token, `/accounts/${account.id}/channels`);
    expect(json.channels[0]).toMatchObject({ id: channel.id, standing: "stopped", trouble: "the token was refused" });
    expect(json.channels.map(({ kind }: { kind: string }) => kind)).toContain(HOSTILE);
    expect([headers.get("content-type"), headers.get("x-content-type-options")]).toEqual([
      "application/json",
      "nosniff",
    ]);
    expect((await ask(token, "/accounts/nobody")).status).toBe(404);
    expect((await ask(token, "/accounts/nobody/channels")).status).toBe(404);
    const all = JSON.stringify([found.json, json]);
    for (const secret of [account.apiKey, account.clientId, account.webhookSecret, account.gatewayToken])
      expect(all).not.toContain(secret);
  });

  it("pages through accounts without missing or repeating one, also when some are added meanwhile", async () => {
    const { ask, tokenWith, store, ledger } = await busyApi();
    const token = await tokenWith("ours", "accounts:read");
    for (const name of ["a", "b", "c"]) await addAccount(store, name);
    const before = (await store.accounts.list()).map(({ id }) => id);
    const seen: string[] = [];
    for (let next: string | undefined = ""; next !== undefined; ) {
      const { json } = await ask(token, `/accounts?limit=2${next && `&cursor=${next}`}`);
      seen.push(...json.accounts.map(({ id }: { id: string }) => id));
      next = json.next;
      if (seen.length === 2) await addAccount(store, "later");
      await ledger.look();
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(before));
  });

  it("finds messages, and shows who and what only with the scope for contents", async () => {
    const { ask, tokenWith } = await busyApi();
    const token = await tokenWith("ours", "messages:read");
    const { json, text } = await ask(token, "/messages/search", { text: "perhaps sent" });
    expect(json.messages).toMatchObject([{ state: "held", direction: "outbound" }]);
    expect(text).not.toContain("answer 3");
    const { id } = json.messages[0];
    const story = await ask(token, `/messages/${id}`);
    expect(story.json.steps.at(-1)).toMatchObject({ isBad: true });
    expect(story.text).not.toContain("answer 3");
    const all = await tokenWith("all", "messages:read", "messages:contents");
    expect((await ask(all, `/messages/${id}`)).json).toMatchObject({ words: "answer 3" });
    expect((await ask(token, "/messages/999")).status).toBe(404);
  });

  it("looks into contents, names and chats only with the scope for contents: else nobody learns what is in them", async () => {
    const { ask, tokenWith } = await busyApi();
    const found = async (token: string, text: string) =>
      (await ask(token, "/messages/search", { text })).json.messages.length;
    const [token, all] = [
      await tokenWith("ours", "messages:read"),
      await tokenWith("all", "messages:read", "messages:contents"),
    ];
    for (const text of ["answer 3", "chat-3"])
      expect([await found(token, text), await found(all, text)]).toEqual([0, 1]);
    for (const text of ["perhaps sent", "901", "w-1b"]) expect(await found(token, text), text).toBeGreaterThan(0);
  });

  it("refuses what is wrong by its place: unknown fields and parameters, bodies that are no JSON or too large", async () => {
    const { ask, tokenWith } = await busyApi();
    const token = await tokenWith("ours", ...SCOPES);
    const pathsOf = async (path: string, body?: unknown) => {
      const { status, json } = await ask(token, path, body);
      return [status, ...(json.errors ?? []).map((each: { path: string }) => each.path)];
    };
    expect(await pathsOf("/accounts?colour=red")).toEqual([400, "query"]);
    expect(await pathsOf("/accounts?limit=0&standing=fine")).toEqual([400, "query.standing", "query.limit"]);
    expect(await pathsOf("/messages/one")).toEqual([400, "path.id"]);
    expect(await pathsOf("/messages/search", { text: "x", more: 1 })).toEqual([400, "body"]);
    expect(await pathsOf("/messages/search", "{")).toEqual([400, "body"]);
    expect(await pathsOf("/messages/search", { text: "" })).toEqual([400, "body.text"]);
    expect(await pathsOf("/undelivered/retry", {})).toEqual([400, "body"]);
    expect(await pathsOf("/undelivered/retry", { state: "dead" })).toEqual([400, "body"]);
    expect(await pathsOf("/undelivered/retry", { ids: [1, "2"] })).toEqual([400, "body.ids.1"]);
    expect((await ask(token, "/messages/search", { text: "x".repeat(70_000) })).status).toBe(413);
    expect((await ask(token, "/elsewhere").catch(() => ({ status: 404 }))).status).toBe(404);
  });

  it("says so while the figures are not read, and when the database fails or is away", async () => {
    const { ask, tokenWith, parts } = await busyApi();
    const token = await tokenWith("ours", "accounts:read");
    const { apiSite } = await import("../../../../src/http/api/site.ts");
    const asked = async (accounts: () => Promise<undefined>, isAway = false) => {
      const site = apiSite({ ...parts.api, isAway: () => isAway, fleet: { ...parts.fleet, accounts } });
      const answer = await site.request("/accounts", { headers: { authorization: `Bearer ${token}` } });
      return [answer.status, answer.headers.get("content-type"), answer.headers.get("retry-after")];
    };
    const fails = () => Promise.reject(new Error("broken"));
    expect(await asked(async () => undefined)).toEqual([503, "application/problem+json", "60"]);
    expect(await asked(fails)).toEqual([500, "application/problem+json", null]);
    expect(await asked(fails, true)).toEqual([503, "application/problem+json", "10"]);
    expect((await ask(token, "/accounts")).status).toBe(200);
  });

  it("lists what was not delivered by pages and reasons, without what is in it", async () => {
    const { ask, tokenWith } = await busyApi();
    const token = await tokenWith("ours", "undelivered:read");
    const all = (await ask(token, "/undelivered")).json.messages;
    expect(all.length).toBeGreaterThanOrEqual(2);
    const first = (await ask(token, "/undelivered?limit=1")).json;
    const second = (await ask(token, `/undelivered?limit=200&cursor=${first.next}`)).json;
    expect([...first.messages, ...second.messages]).toEqual(all);
    expect(second.next).toBeUndefined();
    expect((await ask(token, "/undelivered?state=held")).json.messages).toMatchObject([{ error: "perhaps sent" }]);
    expect((await ask(token, "/undelivered?code=nothing")).json.messages).toEqual([]);
    expect((await ask(token, "/undelivered?to=2001-01-01T00:00:00Z")).json.messages).toEqual([]);
    expect((await ask(token, "/undelivered/reasons")).json.reasons[0]).toMatchObject({ accounts: 1 });
    expect(JSON.stringify(all)).not.toContain("answer");
  });

  it("rehearses, retries and discards by ids or a filter, each act in the audit with the token's name", async () => {
    const { ask, tokenWith, store, account } = await busyApi();
    const token = await tokenWith("help-desk", "undelivered:write", "undelivered:read");
    const dead = async () =>
      (await ask(token, "/undelivered")).json.messages.map(({ id }: { id: number }) => id) as number[];
    const before = await dead();
    const dry = await ask(token, "/undelivered/retry", { account: account.id, dryRun: true });
    expect(dry.json).toEqual({ dryRun: true, done: before, skipped: [], missing: [], more: false });
    expect(await dead()).toEqual(before);
    const [one = 0, ...rest] = before;
    const retried = await ask(token, "/undelivered/retry", { ids: [one, 999] });
    expect(retried.json).toMatchObject({ done: [one], missing: [999] });
    expect(await dead()).toEqual(rest);
    const discarded = await ask(token, "/undelivered/discard", { account: account.id });
    expect(discarded.json.done).toEqual(rest);
    expect(await dead()).toEqual([]);
    expect((await ask(token, "/undelivered/discard", { account: account.id })).json.done).toEqual([]);
    for (const dryRun of [true, false]) {
      const held = await ask(token, "/undelivered/discard", { account: account.id, state: "held", dryRun });
      expect(held.status).toBe(400);
      expect(held.json.errors).toEqual([
        { path: "body.state", message: "only dead messages can be discarded: of a held one a person decides" },
      ]);
    }
    const acts = (await store.audit.list({ limit: 99 })).filter(({ detail }) => detail.token === "help-desk");
    expect(acts.map(({ actor, action, accountId }) => [actor, action, accountId === account.id])).toEqual([
      ...rest.map(() => ["operator", "message discarded", true]),
      ["operator", "message sent again", true],
      ["operator", "API token added", false],
    ]);
  });

  it("shows its document to whoever has a token", async () => {
    const { ask, tokenWith } = await busyApi();
    const { json } = await ask(await tokenWith("nothing"), "/openapi.json");
    expect(json.openapi).toBe("3.1.0");
  });

  it("replays a span of an account's kept webhooks, a day at most, in the audit by the token's name", async () => {
    const { ask, tokenWith, account, store } = await busyApi();
    const token = await tokenWith("help-desk", "replay:write");
    const [from, to] = ["2026-01-31T14:00:00Z", "2026-01-31T15:00:00Z"];
    const replay = (body: object, id: string = account.id) => ask(token, `/accounts/${id}/replay`, body);
    expect((await replay({ from, to, dryRun: true })).json).toMatchObject({ dryRun: true, webhooks: 0, missing: 0 });
    const acts = async () =>
      (await store.audit.list({ accountId: account.id, limit: 99 })).filter(
        ({ action }) => action === "webhooks run again",
      );
    expect(await acts()).toEqual([]);
    expect((await replay({ from, to })).json).toMatchObject({ dryRun: false, missing: 0 });
    expect(await acts()).toMatchObject([{ actor: "operator", detail: { token: "help-desk" } }]);
    for (const span of [{ from: to, to: from }, { from, to: "2026-02-01T15:00:00Z" }, { from }, { from, to: "soon" }])
      expect((await replay(span)).status, JSON.stringify(span)).toBe(400);
    expect((await replay({ from, to }, "nobody")).status).toBe(404);
  });
});
