import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { handClock } from "../../../support/clock.ts";
import { onPostgres } from "../../../support/engine.ts";
import { answers } from "../../../support/in-flight.ts";
import { accountIn, OWN, runningSite } from "../../../support/site.ts";
import { until } from "../../../support/until.ts";

const ROUND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** Longer than a process on PostgreSQL gathers what it tells, ms. */
const GATHERED_MS = 100;
/** On PostgreSQL a process hears of its own changes, too, a moment after they are stored. `before`: the address until then. */
const heard = async (address: () => Promise<string>, before = "") => {
  if (!onPostgres) return;
  await until("word of the change", async () => {
    const now = await address();
    await new Promise((resolve) => setTimeout(resolve, GATHERED_MS));
    await answers();
    return now !== before && now === (await address());
  });
};

async function watchedSite() {
  const clock = handClock();
  const site = await runningSite({ clock });
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const account = async (by = cookie) => (await site.ask("/account", { headers: { cookie: by } })).text();
  const address = async (by = cookie) => / data-stream="([^"]+)"/.exec(await account(by))?.[1] ?? "";
  const open = async (path: string, headers: Record<string, string> = {}) => {
    const response = await site.ask(path, { headers: { cookie, ...headers } });
    const reader = response.body?.getReader();
    onTestFinished(() => reader?.cancel());
    const said: string[] = [];
    let ended = false;
    void (async () => {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        said.push(Buffer.from(part.value ?? []).toString());
      ended = true;
    })();
    const told = () => said.join("").split("event: changed").length - 1;
    return { response, said, told, ended: () => ended, leave: () => reader?.cancel() };
  };
  const post = async (path: string, by = cookie) => {
    const before = await address(by);
    const answer = await site.submit(`/account${path}`, { formToken: await site.formToken(by) }, { cookie: by });
    await heard(() => address(by), before);
    return answer;
  };
  const id = async () => /data-channel="([\w-]{22})"/.exec(await account())?.[1] ?? "";
  await heard(address);
  return { ...site, clock, cookie, address, open, post, id };
}

describe("the stream of an account's page", () => {
  it("tells once that figures have changed, and nothing while they stay", async () => {
    const { address, open, clock, post, id } = await watchedSite();
    const stream = await open(await address());
    expect(stream.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    await clock.forward(15_000);
    expect(stream.said).toEqual(["retry: 3000\n\n"]);
    await post(`/channels/${await id()}/pause`);
    await clock.forward(ROUND_MS);
    expect(stream.told()).toBe(1);
    await clock.forward(60_000);
    expect(stream.told()).toBe(1);
    expect(stream.said.join("")).toContain("event: beat");
  });

  it("tells of messages that came and ended", async () => {
    const { address, open, clock, page, cookie, ask } = await watchedSite();
    const door = / data-channel=&quot;([\w-]{43})&quot;/.exec(await page(cookie))?.[1] ?? "";
    await clock.forward(60_000);
    const before = await address();
    const stream = await open(before);
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      ask(`/m/${door}/${path}`, { method: "POST", headers: { origin: OWN, ...headers }, body: JSON.stringify(body) });
    const { visitor } = (await (await post("open", {})).json()) as { visitor: string };
    const sent = await post("messages", { id: randomUUID(), text: "Hello" }, { authorization: `Bearer ${visitor}` });
    expect(sent.status).toBe(200);
    await heard(address, before);
    await clock.forward(2 * ROUND_MS);
    expect(stream.told()).toBe(1);
  });

  it("tells a busy account's page at most every four seconds, and of the last change, too", async () => {
    const { address, open, clock, post, id } = await watchedSite();
    const [stream, channel] = [await open(await address()), await id()];
    for (const verb of ["pause", "resume", "pause", "resume"]) {
      await post(`/channels/${channel}/${verb}`);
      await clock.forward(ROUND_MS);
    }
    expect(stream.told()).toBe(1);
    await clock.forward(4 * ROUND_MS);
    expect(stream.told()).toBe(2);
  });

  it("tells at once what has changed since the page was made, or since its connection broke", async () => {
    const { address, open, clock, post, id } = await watchedSite();
    const before = await address();
    await post(`/channels/${await id()}/pause`);
    const stream = await open(before);
    const again = await open(before, { "last-event-id": (await address()).split("=")[1] ?? "" });
    await clock.forward(ROUND_MS);
    expect([stream.told(), again.told()]).toEqual([1, 0]);
  });

  it("ends with its visit, and is no use of it", async () => {
    const { address, open, clock, connect, cookieOf, submit, post, ask } = await watchedSite();
    const path = await address();
    const [stream, other] = [await open(path), await connect()];
    await post("/visits/end", other);
    await clock.forward(ROUND_MS);
    expect(stream.ended()).toBe(true);
    expect((await open(path)).response.status).toBe(401);

    const mine = cookieOf(await submit("/", { crmUrl: "http://127.0.0.1:7001", apiKey: "sandbox-key" }));
    const page = await (await ask("/account", { headers: { cookie: mine } })).text();
    const idle = await open(/ data-stream="([^"]+)"/.exec(page)?.[1] ?? "", { cookie: mine });
    for (let hours = 0; hours < 12; hours++) {
      clock.leap(HOUR_MS);
      await clock.forward(ROUND_MS);
    }
    await clock.forward(ROUND_MS);
    expect(idle.ended()).toBe(true);
  });

  it("is limited to four a visit, and frees its share when its reader leaves", async () => {
    const { address, open, clock } = await watchedSite();
    const path = await address();
    const streams = await Promise.all(Array.from({ length: 4 }, () => open(path)));
    expect((await open(path)).response.status).toBe(429);
    await streams[0]?.leave();
    await clock.forward(0);
    expect((await open(path)).response.status).toBe(200);
  });

  it("is for the account's own pages only", async () => {
    const { address, ask, cookie } = await watchedSite();
    const path = await address();
    expect((await ask(path)).status).toBe(401);
    expect((await ask(path, { headers: { cookie, "sec-fetch-site": "cross-site" } })).status).toBe(403);
    const elsewhere = path.replace(accountIn(cookie) ?? "", "b".repeat(22));
    expect((await ask(elsewhere, { headers: { cookie } })).status).toBe(401);
    expect((await ask(path, { method: "HEAD", headers: { cookie } })).body).toBeNull();
  });

  it("holds no slot before somebody reads it", async () => {
    const { address, open, ask, cookie } = await watchedSite();
    const path = await address();
    // More than an address may hold of the default 4,000.
    for (let n = 0; n < 210; n++) {
      expect((await ask(path, { method: "HEAD", headers: { cookie } })).status).toBe(200);
      await (await ask(path, { headers: { cookie } })).body?.cancel();
    }
    expect((await open(path)).response.status).toBe(200);
  });

  it("ends when the server stops, which then opens no other", async () => {
    const { app, address, open, clock } = await watchedSite();
    const path = await address();
    const stream = await open(path);
    const drained = app.drain();
    await clock.forward(0);
    expect(stream.ended()).toBe(true);
    expect((await open(path)).response.status).toBe(429);
    await clock.forward(ROUND_MS);
    await drained;
  });
});
