import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { writeRows } from "../../support/engine.ts";
import { runningSite } from "../../support/site.ts";
import { until } from "../../support/until.ts";

const SHOP = "https://shop.example";
const EVIL = "https://evil.example";
/** The widget's headers that require a preflight. */
const ASKED = "authorization,content-type,last-event-id,x-file-name";

async function chatSite(changes: Parameters<typeof runningSite>[0] = {}) {
  const site = await runningSite(changes);
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const page = await site.page(cookie);
  const door = `/m/${/data-channel=&quot;([\w-]{43})&quot;/.exec(page)?.[1]}`;
  const at = `/account/channels/${/ data-channel="([\w-]{22})"/.exec(page)?.[1]}`;
  const act = async (path: string, fields: Record<string, string> = {}) =>
    (await site.submit(at + path, { formToken: await site.formToken(cookie), ...fields }, { cookie })).status;
  const change = (allowedOrigins: string) =>
    act("", { name: "Shop chat", "setting.title": "Chat", "setting.allowedOrigins": allowedOrigins });
  const ask = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    site.ask(path, { method: "POST", body: "{}", ...init, headers: { origin: SHOP, ...init.headers } });
  const visitor = async () => {
    const { visitor: token } = (await (await ask(`${door}/open`)).json()) as { visitor: string };
    const headers = { authorization: `Bearer ${token}` };
    const say = () => ask(`${door}/messages`, { headers, body: JSON.stringify({ id: randomUUID(), text: "hello" }) });
    const follow = () => ask(`${door}/events`, { method: "GET", body: null, headers });
    return { say, follow };
  };
  const ledger = () =>
    site.stored(async (store) => {
      const [account] = await store.accounts.list();
      return account ? store.ledger(account.id) : [];
    });
  return { ...site, door, change, remove: () => act("/remove"), ask, visitor, ledger };
}

/** Whether a browser lets a page of that origin read the answer. */
const readableBy = ({ headers }: Response, origin = SHOP) =>
  ["*", origin].includes(headers.get("access-control-allow-origin") ?? "") &&
  !headers.has("access-control-allow-credentials");
/** Whether a browser sends the request after this preflight. */
const letsPass = (answer: Response) => {
  const listed = (name: string) => (answer.headers.get(`access-control-allow-${name}`) ?? "").toLowerCase();
  const headers = listed("headers").split(/,\s*/);
  return answer.ok && readableBy(answer) && ASKED.split(",").every((name) => headers.includes(name));
};

describe("the page of a web chat", () => {
  it("gets the same preflight answer from every door, existing or not", async () => {
    const { ask, door } = await chatSite();
    const headers = { "access-control-request-method": "POST", "access-control-request-headers": ASKED };
    const knock = (path: string) => ask(path, { method: "OPTIONS", body: null, headers });
    const [known, unknown] = [await knock(`${door}/messages`), await knock("/m/unknown/messages")];
    expect([letsPass(known), letsPass(unknown)]).toEqual([true, true]);
    expect([unknown.status, [...unknown.headers]]).toEqual([known.status, [...known.headers]]);
    expect([await known.text(), await unknown.text()]).toEqual(["", ""]);
  });

  it("can read that there is no such chat, even when rate-limited, and nothing else", async () => {
    const { ask } = await chatSite();
    const answers: Response[] = [];
    for (let n = 0; n < 61; n++) answers.push(await ask(`/m/unknown${n}/open`));
    const [first, last] = [answers[0], answers.at(-1)] as [Response, Response];
    expect([first.status, last.status, last.headers.get("retry-after")]).toEqual([404, 429, "60"]);
    for (const answer of [first, last]) {
      expect(readableBy(answer)).toBe(true);
      expect(await answer.json()).toEqual({ error: { code: "unknown-door", message: "Not found" } });
    }
  });

  it("on a site that is not allowed can read that, and changes nothing", async () => {
    const { ask, door, change, ledger } = await chatSite();
    await change(SHOP);
    for (const path of ["open", "messages", "files", "read", "nowhere"]) {
      const refused = await ask(`${door}/${path}`, { headers: { origin: EVIL } });
      expect([path, refused.status, readableBy(refused, EVIL)]).toEqual([path, 403, true]);
    }
    expect(await ledger()).toMatchObject([{ accepted: 0, waiting: 0 }]);
  });

  it("can read every other refusal, and when to retry", async () => {
    const { ask, door, visitor } = await chatSite({ bounds: { perAccount: 0 } });
    const large = await ask(`${door}/open`, { body: "x".repeat(70_000) });
    const full = await (await visitor()).say();
    expect([large.status, readableBy(large)]).toEqual([413, true]);
    expect([full.status, readableBy(full)]).toEqual([429, true]);
    expect(full.headers.get("access-control-expose-headers")).toContain("retry-after");
  });
});

describe("a web chat that is removed", () => {
  it("ends its open streams, and accepts nothing from then on", async () => {
    const { visitor, remove } = await chatSite();
    const { say, follow } = await visitor();
    const stream = await follow();
    expect(stream.status).toBe(200);
    expect(await remove()).toBe(303);
    expect(await stream.text()).toBe(": open\n\n");
    const answers = [await say(), await follow()];
    for (const answer of answers) expect([answer.status, readableBy(answer)]).toEqual([404, true]);
  });

  it("is like one whose sites have changed: streams end, and the site is checked again", async () => {
    const { visitor, change } = await chatSite();
    const { say, follow } = await visitor();
    const stream = await follow();
    await change(EVIL);
    expect(await stream.text()).toBe(": open\n\n");
    expect([(await say()).status, (await follow()).status]).toEqual([403, 403]);
    await change(`${EVIL}\n${SHOP}`);
    expect([(await say()).status, (await follow()).status]).toEqual([200, 200]);
  });
});

describe("a web chat that is stopped, or whose account is off", () => {
  it.each([
    ["switched off", { active: false, freeze: false }],
    ["frozen", { active: true, freeze: true }],
  ])("(%s) accepts customers' messages, which wait", async (_, state) => {
    const site = await chatSite();
    const { say, follow } = await site.visitor();
    const module = site.sandbox.world.modules.get("gangway");
    Object.assign(module ?? {}, state);
    const clientId = module?.registration.clientId ?? "";
    await site.submit("/actions/activity", { clientId, activity: JSON.stringify(state) });
    expect([(await say()).status, (await follow()).status]).toEqual([200, 200]);
    expect(await site.ledger()).toMatchObject([{ accepted: 1, waiting: 1, delivered: 0, refused: 0 }]);
  });

  it("(stopped) accepts customers' messages, which arrive", async () => {
    const site = await chatSite();
    const { say, follow } = await site.visitor();
    await writeRows(site.folder, "UPDATE channel SET state = 'stopped'");
    expect([(await say()).status, (await follow()).status]).toEqual([200, 200]);
    await until("the delivery", () => site.sandbox.world.messages.length === 1);
  });
});
