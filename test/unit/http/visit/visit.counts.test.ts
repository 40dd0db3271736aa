import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { expect, it } from "vitest";
import type { Env } from "../../../../src/http/serving/request.ts";
import { type VisitParts, visitRoutes } from "../../../../src/http/visit/visit.ts";

/** An account's pages over a count of what was not delivered. */
function pages() {
  let counted = 0;
  const requireVisit = createMiddleware<Env>((c, next) => {
    c.set("visit", { account: { id: "one", crmUrl: "https://shop.example" } } as never);
    return next();
  });
  const requireForm = createMiddleware<Env>(async (c, next) => {
    c.set("form", new URLSearchParams(await c.req.text()));
    return next();
  });
  const undelivered = {
    counts: async () => {
      counted += 1;
      return [{ state: "dead", channelId: "c", code: "general", count: 7 }];
    },
    list: async () => ({ filter: { state: "dead" }, rows: [], fitting: 0, groups: [] }),
    decideAll: async () => 1,
  };
  const parts = { moduleName: "Gangway", undelivered, guard: { requireVisit, requireForm } };
  const site = new Hono<Env>().route("/account/:account", visitRoutes(parts as unknown as VisitParts));
  const ask = async (init: RequestInit = {}) => {
    counted = 0;
    const answer = await site.request("/account/one/undelivered", init);
    return { status: answer.status, page: await answer.text(), counted };
  };
  return ask;
}

it("undelivered messages are counted once for a page, and not for a form that leads to another", async () => {
  const ask = pages();
  const { status, page, counted } = await ask();
  expect([status, counted]).toEqual([200, 1]);
  expect(page).toContain("Not delivered: 7");
  const sent = await ask({ method: "POST", body: new URLSearchParams({ what: "again", job: "1" }) });
  expect([sent.status, sent.counted]).toEqual([303, 0]);
});
