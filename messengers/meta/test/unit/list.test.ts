import facebook from "gangway-facebook";
import { createEmulator as createFacebook, RIGHTS } from "gangway-facebook/emulator/emulator";
import { hasApp } from "gangway-messenger/apps";
import { systemClock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import type { ChannelAdapter } from "gangway-messenger/port";
import whatsapp from "gangway-whatsapp";
import { ACCOUNT_ID, NUMBER_ID } from "gangway-whatsapp/emulator/seed";
import { Hono } from "hono";
import { expect, it } from "vitest";
import * as z from "zod";
import { staged } from "../../../whatsapp/test/unit/stage.ts";
import { DEMO_APP } from "../../emulator/demo-app.ts";
import { addAccount } from "../../emulator/messaging/chats.ts";
import { granted } from "../../emulator/oauth.ts";
import { graphClient } from "../../src/graph.ts";
import { listAll } from "../../src/list.ts";

const redirectUrl = "https://gangway.example/account/login/back";
const ENV = { META_APP_ID: DEMO_APP.id, META_APP_SECRET: DEMO_APP.secret, META_VERIFY_TOKEN: "verify-me" };
const fresh = () => new AbortController().signal;
const loginOf = (adapter: ChannelAdapter) => {
  if (!hasApp(adapter)) throw new Error("it has no app");
  return { login: adapter.app.login, server: adapter.serverSettings?.parse(ENV) as object };
};

it("a login offers each of 250 pages", async () => {
  const { core, platform, site } = createFacebook({
    origin: () => "https://network.example",
    clock: { now: systemClock.now, after: () => () => {} },
    deliver: async () => new Response(null, { status: 503 }),
  });
  const pages = Array.from({ length: 250 }, (_, n) => ({ id: String(200_000_000_000_000 + n), name: `Shop ${n}` }));
  for (const page of pages) addAccount(platform, page);
  const { login, server } = loginOf(facebook);
  const app = core.apps.check(DEMO_APP.id, DEMO_APP.secret);
  const code = granted(core, app, {
    redirectUri: redirectUrl,
    rights: RIGHTS,
    nodes: pages.map(({ id }) => id),
    user: "5",
  });
  const from = { query: { code }, redirectUrl, server, call: callFrom(site), clock: systemClock };
  expect((await login.choices(from, fresh())).map(({ name }) => name)).toEqual(pages.map(({ name }) => name));
  expect(core.journal.entries().filter(({ operation }) => operation === "pages")).toHaveLength(3);
});

it("a login offers each of an account's 130 numbers, and a number beyond the hundredth can be connected", async () => {
  const { core, world, number, context, session } = await staged();
  for (let n = 0; n < 129; n++) world.numbers.set(`${900_000 + n}`, { ...number, id: `${900_000 + n}` });
  // The shop's own comes last.
  world.numbers.delete(NUMBER_ID);
  world.numbers.set(NUMBER_ID, number);
  for (const id of world.numbers.keys()) core.tokens.list()[0]?.nodes.add(id);
  const { login, server } = loginOf(whatsapp);
  const rights = ["whatsapp_business_messaging", "whatsapp_business_management"];
  const app = core.apps.check(DEMO_APP.id, DEMO_APP.secret);
  const code = granted(core, app, { redirectUri: redirectUrl, rights, nodes: [ACCOUNT_ID], user: "1" });
  const from = { query: { code }, redirectUrl, server, call: context.call, clock: context.clock };
  const own = [...world.numbers.values()].filter(({ account }) => account === ACCOUNT_ID);
  expect(own.length).toBeGreaterThan(129);
  expect((await login.choices(from, fresh())).map(({ login: id }) => id)).toEqual(
    own.map(({ id }) => `whatsapp:${id}`),
  );
  await session.connect(fresh());
});

/** Pages of a list by their own addresses; `next` of each by its number. */
function book(pages: { data: unknown[]; next?: string }[]) {
  const asked: string[] = [];
  const site = new Hono();
  site.get("/v23.0/me/things", (c) => {
    const url = new URL(c.req.url);
    asked.push(url.host + url.search);
    const { data, next } = pages[Number(url.searchParams.get("page") ?? 0)] ?? { data: [] };
    return c.json({ data, ...(next && { paging: { next } }) });
  });
  const graph = graphClient({
    ...{ call: callFrom(site), clock: systemClock, network: "Meta", headers: {}, secrets: [], table: [] },
    baseUrl: "https://graph.example/v23.0",
  });
  const read = () =>
    listAll(graph, { path: "me/things", entry: z.object({ id: z.string() }), what: "things" }, fresh());
  return { asked, read };
}

it("a list is followed at our own address and without a token in it, whatever the next page's says", async () => {
  const { asked, read } = book([
    { data: [{ id: "a" }, 7], next: "https://evil.example/elsewhere?page=1&limit=2&access_token=EAAx" },
    { data: [{ id: "b" }], next: "no address" },
  ]);
  expect(await read()).toEqual([{ id: "a" }, { id: "b" }]);
  expect(asked).toEqual(["graph.example?limit=100", "graph.example?page=1&limit=2"]);
});

it("a list that leads back to itself, or never ends, ends", async () => {
  const next = (n: number) => `https://graph.example/v23.0/me/things?page=${n}`;
  const circle = book([
    { data: [{ id: "a" }], next: next(1) },
    { data: [{ id: "b" }], next: next(1) },
  ]);
  expect(await circle.read()).toHaveLength(2);
  const endless = book(Array.from({ length: 200 }, (_, n) => ({ data: [{ id: `${n}` }], next: next(n + 1) })));
  expect(await endless.read()).toHaveLength(100);
});
