import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { masked } from "../../../src/http/visit/form-token.ts";
import { visitRoutes } from "../../../src/http/visit/visit.ts";
import { createVisitGuard } from "../../../src/http/visit/visit-guard.ts";
import type { Visits } from "../../../src/module/account/visits.ts";
import type { Undelivered } from "../../../src/module/messages/undelivered.ts";
import { en } from "../../../src/pages/i18n/en.ts";

const OWN = "https://gangway.example";
const formToken = "f".repeat(43);
const ACCOUNT = "a".repeat(22);
const HOME = `/account/${ACCOUNT}`;

const retainDays = { settled: 7, dead: 90, journal: 365, audit: 730 };
const never = () => Promise.reject(new Error("not expected"));

function setUp() {
  const decided: string[] = [];
  const decide = async (verb: string, job: number) => {
    decided.push(`${verb} ${job}`);
    return { count: job === 7 ? 1 : 0, ...(verb === "discard" && { discardedAt: 9_000 }) };
  };
  const visits = {
    byToken: async (token: string) => (token === "token" ? { account: { id: ACCOUNT }, formToken } : undefined),
  } as unknown as Visits;
  const undelivered = {
    count: async () => ({ dead: 0, held: 0 }),
    decide: (_: unknown, job: number, what: string) => decide(what, job),
    decideAll: async (_: unknown, which: object, what: string) => {
      decided.push(`${what} ${JSON.stringify(which)}`);
      return { count: 2 };
    },
    undo: async (_: unknown, discardedAt: number) => {
      decided.push(`undo ${discardedAt}`);
      return 2;
    },
  } as unknown as Undelivered;
  const routes = visitRoutes({
    ...{
      moduleName: "Gangway",
      publicUrl: OWN,
      addressOf: () => "",
      live: {} as never,
      visits,
      undelivered,
      channels: {} as never,
      checkChannel: never,
      connect: never,
      standings: {} as never,
      logins: { canLogIn: () => false } as never,
      templates: {} as never,
      erasing: {} as never,
      history: {} as never,
      liveTests: {} as never,
      rehearsals: {} as never,
      stories: { of: async (_: unknown, job: number) => (job === 9 ? {} : undefined) } as never,
      disconnect: never,
      retainDays,
    },
    guard: createVisitGuard({ publicUrl: OWN, embedding: false, moduleName: "Gangway", formBytes: 9_999, visits }),
  });
  const site = new Hono().route("/account/:account", routes);
  const post = (path: string, token = formToken, fields: [string, string][] = []) =>
    site.request(`${OWN}${HOME}${path}`, {
      method: "POST",
      body: new URLSearchParams([["formToken", masked(token)], ...fields]),
      headers: { origin: OWN, cookie: `__Host-gangway-${ACCOUNT}=token` },
    });
  return { decided, post };
}

describe("the buttons of an undelivered message", () => {
  it.each(["again", "arrived", "drop", "discard", "restore"] as const)(
    "do what they say, and the page says that it is done: %s",
    async (verb) => {
      const { decided, post } = setUp();
      const done = await post(`/jobs/7/${verb}`);
      const list = `${HOME}/undelivered?${verb === "restore" ? "state=dead&" : ""}done=${verb}&count=1${verb === "discard" ? "&undo=9000" : ""}`;
      expect([done.status, done.headers.get("location")]).toEqual([303, list]);
      expect(en.undelivered.done[verb]).toBeDefined();
      expect(decided).toEqual([`${verb} 7`]);
    },
  );

  it.each(["again", "arrived", "drop", "discard", "restore"])(
    "change nothing for a message that is not there, or a form that is not ours: %s",
    async (verb) => {
      const { decided, post } = setUp();
      expect((await post(`/jobs/8/${verb}`)).status).toBe(404);
      expect((await post(`/jobs/x/${verb}`)).status).toBe(404);
      expect((await post(`/jobs/7/${verb}`, "guess")).status).toBe(403);
      expect(decided).toEqual([`${verb} 8`]);
    },
  );

  it("lead to the message's story when it has been decided on already, as by a second click", async () => {
    const { post } = setUp();
    const second = await post("/jobs/9/again");
    expect([second.status, second.headers.get("location")]).toEqual([303, `${HOME}/messages/9`]);
  });

  it.each<[string, [string, string][], object]>([
    [
      "the selected ones",
      [
        ["what", "again"],
        ["job", "7"],
        ["job", "9"],
        ["job", "x"],
      ],
      [7, 9],
    ],
    [
      "all that fit the filter",
      [
        ["what", "again all"],
        ["job", "7"],
        ["until", "9000"],
      ],
      { state: "dead", code: "general", to: 9_000 },
    ],
  ])("act on %s, and return to the list as it was filtered", async (_, fields, which) => {
    const { decided, post } = setUp();
    const filter = Object.entries({ state: "dead", channel: "", reason: "general" });
    const done = await post("/undelivered", formToken, [...filter, ...fields]);
    expect(done.headers.get("location")).toBe(`${HOME}/undelivered?state=dead&reason=general&done=again&count=2`);
    expect(decided).toEqual([`again ${JSON.stringify(which)}`]);
  });

  it("undo what was discarded at once, by its time", async () => {
    const { decided, post } = setUp();
    const fields: [string, string][] = [
      ["what", "restore"],
      ["undo", "9000"],
    ];
    const done = await post("/undelivered", formToken, fields);
    expect(done.headers.get("location")).toBe(`${HOME}/undelivered?state=dead&done=restore&count=2`);
    expect(decided).toEqual(["undo 9000"]);
  });

  it("ask for a selection, as a warning, when nothing is selected", async () => {
    const { decided, post } = setUp();
    const asked = await post("/undelivered", formToken, [["what", "discard"]]);
    expect(asked.headers.get("location")).toBe(`${HOME}/undelivered?done=unselected&count=0`);
    expect(decided).toEqual([]);
  });

  it("do nothing that is not on them", async () => {
    const { decided, post } = setUp();
    expect((await post("/undelivered", formToken, [["what", "burn all"]])).status).toBe(404);
    expect((await post("/undelivered", "guess", [["what", "again all"]])).status).toBe(403);
    expect(decided).toEqual([]);
  });
});
