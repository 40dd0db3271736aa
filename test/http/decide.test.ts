import { describe, expect, it } from "vitest";
import { createAdmission } from "../../src/http/admission.ts";
import { visitRoutes } from "../../src/http/visit.ts";
import type { Visits } from "../../src/module/visits.ts";
import { en } from "../../src/pages/i18n/en.ts";

const OWN = "https://gangway.example";
const formToken = "f".repeat(43);

const retainDays = { settled: 7, dead: 90, journal: 365, audit: 730 };
const never = () => Promise.reject(new Error("not expected"));

function setUp() {
  const decided: string[] = [];
  const decide = async (verb: string, job: number) => {
    decided.push(`${verb} ${job}`);
    return job === 7;
  };
  const visits = {
    byToken: async (token: string) => (token === "token" ? { account: { id: "a" }, formToken } : undefined),
    sendAgain: (_: unknown, job: number) => decide("again", job),
    decide: (_: unknown, job: number, what: string) => decide(what, job),
  } as unknown as Visits;
  const site = visitRoutes({
    ...{ moduleName: "Gangway", visits, channels: {} as never, disconnect: never, retainDays },
    admission: createAdmission({ publicUrl: OWN, moduleName: "Gangway", formBytes: 9_999, visits }),
  });
  const post = (path: string, token = formToken) =>
    site.request(`${OWN}${path}`, {
      method: "POST",
      body: new URLSearchParams({ formToken: token }),
      headers: { origin: OWN, cookie: "__Host-gangway=token" },
    });
  return { decided, post };
}

describe("the buttons of an undelivered message", () => {
  it.each(["again", "arrived", "drop"] as const)(
    "do what they say, and the page says that it is done: %s",
    async (verb) => {
      const { decided, post } = setUp();
      const done = await post(`/jobs/7/${verb}`);
      expect([done.status, done.headers.get("location")]).toEqual([303, `/account?done=${verb}`]);
      expect(en.done[verb]).not.toBe("");
      expect(decided).toEqual([`${verb} 7`]);
    },
  );

  it.each(["again", "arrived", "drop"])(
    "change nothing for a message that is not there, or a form that is not ours: %s",
    async (verb) => {
      const { decided, post } = setUp();
      expect((await post(`/jobs/8/${verb}`)).status).toBe(404);
      expect((await post(`/jobs/x/${verb}`)).status).toBe(404);
      expect((await post(`/jobs/7/${verb}`, "guess")).status).toBe(403);
      expect(decided).toEqual([`${verb} 8`]);
    },
  );
});
