import { randomBytes } from "node:crypto";
import { systemClock } from "gangway-messenger/clock";
import { sameSecret } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import { knock, openStage, type Stage } from "../../fuzz/stage.ts";
import { onPostgres, readRows } from "../../support/engine.ts";
import { LONG } from "../../support/long.ts";
import { runningSite } from "../../support/site.ts";

const GUESSES = LONG ? (onPostgres ? 2_000 : 10_000) : 400;
const AT_ONCE = 100;
const STRANGER = "198.51.100.9";
const guess = () => randomBytes(32).toString("base64url");
const kept = ({ folder }: Stage) => readRows(folder, ["message", "chat", "journal", "note", "web_session"]);

type Try = { path: string; headers: Record<string, string> };
const WAYS: [string, (stage: Stage) => Try][] = [
  ["the gateway's path and client id", () => ({ path: `/gateway/${guess()}`, headers: { clientid: guess() } })],
  ["the client id behind the right path", ({ hook }) => ({ path: hook, headers: { clientid: guess() } })],
  [
    "the path, with the right client id",
    ({ clientId }) => ({ path: `/gateway/${guess()}`, headers: { clientid: clientId } }),
  ],
  ["a messenger's path", () => ({ path: `/m/${guess()}`, headers: {} })],
  ["a client id for the account page", () => ({ path: "/account", headers: {} })],
];
const body = () => Buffer.from(new URLSearchParams({ clientId: guess() }).toString());

describe("a stranger who guesses the secrets", () => {
  it.each(WAYS)("finds nothing, however often they try %s, and leave no row", async (_, way) => {
    const stage = await openStage({ clock: systemClock });
    await stage.settled();
    const before = await kept(stage);
    const seen = new Map<number, number>();
    for (let n = 0; n < GUESSES; n += AT_ONCE) {
      const tries = Array.from({ length: AT_ONCE }, () => way(stage));
      const knocks = tries.map(({ path, headers }) => knock(stage, path, { headers }, body(), STRANGER));
      for (const { status } of await Promise.all(knocks)) seen.set(status, (seen.get(status) ?? 0) + 1);
    }
    expect([...seen.keys()].every((status) => status === 404 || status === 401 || status === 429)).toBe(true);
    expect(seen.get(429)).toBeGreaterThan(GUESSES / 2);
    expect(await kept(stage)).toEqual(before);
  });

  it("is slowed down by address, while a holder of the secrets at the same address is not", async () => {
    const stage = await openStage({ clock: systemClock });
    const wrong = () => knock(stage, `/gateway/${guess()}`, { headers: { clientid: guess() } }, body(), STRANGER);
    for (let n = 0; n < 200; n++) await wrong();
    expect((await wrong()).status).toBe(429);
    const other = await knock(stage, `/gateway/${guess()}`, { headers: {} }, body(), "198.51.100.10");
    expect(other.status).toBe(404);
    const proven = await knock(stage, stage.hook, { headers: { clientid: stage.clientId } }, body(), STRANGER);
    expect(proven.status).toBe(400);
  });
});

describe("a comparison of secrets", () => {
  it("accepts only the whole secret, at any length", () => {
    const secret = guess();
    expect(sameSecret(secret, secret)).toBe(true);
    for (const wrong of [
      "",
      "x",
      secret.slice(1),
      `${secret}x`,
      secret.toUpperCase(),
      guess(),
      "\ud800",
      "x".repeat(100_000),
    ])
      expect(sameSecret(wrong, secret)).toBe(false);
  });
});

describe("a forwarding header", () => {
  const tries = async (site: Awaited<ReturnType<typeof runningSite>>) => {
    const statuses: number[] = [];
    for (let n = 0; n < 40; n++) {
      const headers = {
        "x-forwarded-for": `198.51.100.${n}`,
        "x-real-ip": `198.51.100.${n}`,
        forwarded: `for=198.51.100.${n}`,
      };
      statuses.push((await knock(site, "/account", { headers }, body(), "10.0.0.1")).status);
    }
    return statuses;
  };

  it("from an untrusted sender changes no limit", async () => {
    expect((await tries(await runningSite())).at(-1)).toBe(429);
  });

  it("from a trusted proxy is believed, so that its users do not share one limit", async () => {
    const site = await runningSite({ trustedProxies: { hops: 0, networks: ["10.0.0.0/8"] } });
    expect(new Set(await tries(site))).toEqual(new Set([401]));
  });

  it("never affects an address that this server generates", async () => {
    const site = await runningSite({ trustedProxies: { hops: 1, networks: [] } });
    const headers = { host: "evil.example", "x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher" };
    const spoofed = async (path: string) => site.ask(path, { headers: { ...headers, accept: "text/html" } });
    for (const path of ["/", "/account", "/nowhere", "/favicon.ico"]) {
      const answer = await spoofed(path);
      expect(`${[...answer.headers]} ${await answer.text()}`).not.toContain("evil.example");
    }
    await site.submit("/", { crmUrl: "http://127.0.0.1:7001", apiKey: "sandbox-key" }, headers);
    expect(JSON.stringify(site.sandbox.world.modules.get("gangway")?.registration)).not.toContain("evil.example");
  });
});
