import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { knock, openStage, type Stage } from "../../fuzz/stage.ts";
import { OTHER_CRM } from "../../support/crms.ts";
import { readRows } from "../../support/engine.ts";
import { accountIn, OWN } from "../../support/site.ts";
import { until } from "../../support/until.ts";

const HTTP = new URL("../../../src/http/", import.meta.url);
/** Every route with a parameter in its path, read from the source, so that none is forgotten. */
const ROUTES = globSync("**/*.ts", { cwd: fileURLToPath(HTTP) })
  .map((file) => readFileSync(new URL(file, HTTP), "utf8"))
  .flatMap((source) => [...source.matchAll(/site\.(get|post|put|delete|all)\(["`]([^"`]*:[^"`]*)["`]/g)])
  .map((found): [string, string] => [(found[1] ?? "").toUpperCase(), found[2] ?? ""]);

/** A route's paths with account A's ids; the source omits the prefix `/account`. */
function pathsOf(method: string, route: string, a: Stage, { job, visit }: { job: number; visit: string }): string[] {
  const ids = [...a.chat.ids, ...a.chat.ids.map(encodeURIComponent)];
  // A verb that is asked for leads on to the channel's page.
  if (route.startsWith("/channels/:id/$") && method === "GET") return [];
  if (route.startsWith("/channels/:id")) return ids.map((id) => `/account${route.replace(":id", id)}`);
  // Asked for, each leads to the visitor's own list, whatever the id.
  if (route.startsWith(JOBS) && method === "GET") return [];
  if (route.startsWith(JOBS)) return VERBS.map((verb) => `/account/jobs/${job}/${verb}`);
  if (route === STORY) return [`/account/messages/${job}`];
  if (route === VISIT && method === "POST") return [`/account/visits/${visit}/end`];
  return [];
}
const JOBS = "/jobs/:id/";
const VISIT = "/visits/:id/end";
const STORY = "/messages/:id";
/** Actions on a finished message. */
const VERBS = ["again", "arrived", "drop", "discard", "restore"];
/** Routes whose parameter is the secret itself, and public files and kinds. */
const APPS = [
  "/apps/:kind",
  "/apps/:kind/*",
  "/apps/:kind/login",
  "/add/:kind/login",
  "/add/:kind/choose",
  "/add/:kind/check",
];
/** The vendor's own look at all accounts, on a port of its own. */
const CONSOLE = [
  ...[
    "",
    "/pause",
    "/resume",
    "/limits",
    "/open",
    "/replay",
    "/channels/:channel/pause",
    "/channels/:channel/resume",
  ].map((rest) => `/accounts/:id${rest}`),
  "/messages/:id{[1-9][0-9]{0,14}}",
];
const SECRETS = [
  ...APPS,
  ...CONSOLE,
  "/erased/:code",
  "/support/:token",
  "/add/:kind",
  "/add/:kind/as/:variant",
  "/gateway/:secret",
  "/m/:door",
  "/m/:door/*",
  "/channels/:kind/:name",
];

/** All rows except those the server writes by itself: sessions, leases and their holders, traffic, `meta` and the trouble of the fake bot. */
const state = async ({ folder }: Stage) => {
  const { channel = [], ...rows } = await readRows(folder);
  const own = ["web_session", "account_lease", "meta", "member", "traffic"];
  const rest = Object.fromEntries(Object.entries(rows).filter(([table]) => !own.includes(table)));
  return { ...rest, channel: channel.map((row) => ({ ...row, trouble: null, trouble_at: null, told: null })) };
};

const visitsOf = async ({ ask, cookie }: Stage) => (await ask("/account/history", { headers: { cookie } })).text();

async function twoTenants() {
  const a = await openStage();
  // One failed job, which could be resent, and no live ones.
  const dead = { ...sample(a), items: [{ id: "11111111-1111-4111-8111-111111111111" }], type: "file", content: null };
  const body = Buffer.from(JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data: dead }));
  await knock(a, a.hook, { headers: { clientid: a.clientId } }, body, "198.51.100.1");
  const jobs = async () => (await readRows(a.folder, ["message"])).message ?? [];
  const job = await until("a job that has failed", async () => (await jobs()).find((row) => row.state === "dead"));
  // A second visit, which the first may end.
  await a.connect();
  const cookie = a.cookieOf(await a.submit("/", { crmUrl: OTHER_CRM, apiKey: "sandbox-key" }));
  await until("all jobs to finish", async () =>
    (await jobs()).every((row) => row.state === "dead" || row.state === "done"),
  );
  const visit = /visits\/([\w-]+)\/end/.exec(await visitsOf(a))?.[1] ?? "";
  return { a, job: Number(job.id), visit, b: { cookie, formToken: await a.formToken(cookie) } };
}
const sample = ({ chat, visitor }: Stage) => ({
  channel_id: chat.channel,
  external_chat_id: visitor.chat,
  external_user_id: visitor.chat,
  id: 7,
  quote_content: null,
  quote_external_id: null,
});

describe("another account's ids", () => {
  it("appear only in routes that this test knows", () => {
    expect(ROUTES.length).toBeGreaterThan(8);
    const known = ([, route]: [string, string]) =>
      route.startsWith("/channels/:id") || route.startsWith(JOBS) || route === VISIT || route === STORY;
    expect(ROUTES.filter((route) => !known(route) && !SECRETS.includes(route[1]))).toEqual([]);
  });

  it("give 404 at every route, and nothing changes", async () => {
    const { a, job, visit, b } = await twoTenants();
    const before = await state(a);
    let asked = 0;
    for (const [method, route] of ROUTES)
      for (const path of pathsOf(method, route, a, { job, visit })) {
        const fields = {
          formToken: b.formToken,
          name: "Mine",
          "setting.title": "t",
          "setting.accent": "#000000",
          text: "x",
        };
        const answer =
          method === "GET"
            ? await a.ask(path, { headers: { cookie: b.cookie } })
            : await a.submit(path, fields, { cookie: b.cookie });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
        expect(await answer.text()).not.toContain("Shop chat");
        const atOwner = path.replace("/account", `/account/${accountIn(a.cookie)}`);
        const intruding = { method, headers: { cookie: b.cookie, origin: OWN } };
        expect([method, atOwner, (await a.ask(atOwner, intruding)).status]).toEqual([method, atOwner, 401]);
        asked += 1;
      }
    expect(asked).toBeGreaterThan(10);
    expect(await state(a)).toEqual(before);
    // The owner's own request succeeds, so only the account made the difference.
    const own = await a.submit(`/account/jobs/${job}/again`, { formToken: a.token }, { cookie: a.cookie });
    expect(own.headers.get("location")).toBe("/account/undelivered?done=again&count=1");
  });

  it("in the CRM's questions about a customer on the site count as none", async () => {
    const { a } = await twoTenants();
    const page = JSON.stringify({ page: "https://shop.example/" });
    await a.ask(`${a.chat.door}/visit`, { method: "POST", headers: a.visitor.headers, body: page });
    const other = a.crmAt(OTHER_CRM).world.modules.get("gangway")?.registration.clientId;
    for (const action of ["visits", "online"]) {
      const asks = async (clientId = "nobody") => {
        const body = new URLSearchParams({ clientId, [action]: JSON.stringify({ external_user_id: a.visitor.chat }) });
        return (await a.ask(`/actions/${action}`, { method: "POST", body })).json();
      };
      expect(await asks(other)).toEqual({ success: false });
      expect(await asks(a.clientId)).not.toHaveProperty("success");
    }
  });

  it("in a form's fields count as none, and nothing changes", async () => {
    const { a, job, b } = await twoTenants();
    const before = await state(a);
    const [channel = ""] = a.chat.ids;
    const send = (path: string, fields: Record<string, string>) =>
      a.submit(`/account${path}`, { formToken: b.formToken, ...fields }, { cookie: b.cookie });
    const decisions: Record<string, string>[] = [
      { what: "again", job: String(job) },
      { what: "discard", job: String(job) },
      { what: "again all", state: "dead" },
      { what: "discard all", state: "dead", channel },
    ];
    for (const fields of decisions)
      expect((await send("/undelivered", fields)).headers.get("location")).toContain("count=0");
    const person = { channel, chat: a.visitor.chat };
    expect(await (await send("/customers/confirm", person)).text()).not.toContain("Shop chat");
    expect((await send("/customers/erase", person)).status).toBe(404);
    for (const path of ["/customers", "/messages"])
      for (const text of ["hello", a.visitor.chat])
        expect(await (await send(path, { text })).text()).toContain("Nothing on this server");
    const listed = await a.ask(`/account/undelivered?channel=${channel}`, { headers: { cookie: b.cookie } });
    expect(await listed.text()).not.toContain("Shop chat");
    expect(await state(a)).toEqual(before);
  });

  it("are useless at another channel's door: a visitor's token, file and message", async () => {
    const { a, b } = await twoTenants();
    await a.addChannel(b.cookie, "Theirs");
    const door = /data-channel=&quot;([\w-]{43})&quot;/.exec(await a.page(b.cookie))?.[1] ?? "";
    const { visitor } = (await (await a.ask(`/m/${door}/open`, { method: "POST", body: "{}" })).json()) as {
      visitor: string;
    };
    const post = (path: string, token: string, body: object) =>
      a.ask(`/m/${door}/${path}`, { method: "POST", headers: { authorization: token }, body: JSON.stringify(body) });
    const before = await readRows(a.folder, ["message", "chat", "journal"]);
    const message = { id: "11111111-1111-4111-8111-111111111111", text: "x" };
    const own = `Bearer ${visitor}`;
    expect((await post("messages", a.visitor.headers.authorization, message)).status).toBe(401);
    expect((await post("messages", own, { ...message, files: [{ id: a.visitor.file }] })).status).toBe(400);
    expect((await post("read", own, { id: a.visitor.message })).status).toBe(400);
    expect((await a.ask(`/m/${door}/files/${a.visitor.file}/a.txt`)).status).toBe(404);
    expect((await a.ask(`${a.chat.door}/files/${a.visitor.file}/a.txt`)).status).toBe(200);
    expect(await readRows(a.folder, ["message", "chat", "journal"])).toEqual(before);
    const opened = await (await post("open", "", { visitor: a.visitor.headers.authorization.slice(7) })).json();
    expect(opened).toMatchObject({ history: [] });
  });
});
