import { systemClock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import type { Account } from "../../../../src/domain/account.ts";
import { createFollow, createLocate, type Whereabouts } from "../../../../src/module/connecting/whereabouts.ts";
import { silentLog } from "../../../support/log.ts";
import { temporaryStore } from "../../../support/store.ts";

const config = { crmHosts: ["*.retailcrm.ru", "box.example"], sandbox: false };
const OLD = "https://shop.retailcrm.ru";
const NEW = "https://store.retailcrm.ru";
const TECHNICAL = "https://x17.retailcrm.ru";
const ROGUE = "https://box.example";

type Said = Record<string, { publicUrl?: string; technicalUrl?: string } | undefined>;

/** Hosts that answer only `system-info`, and only to calls without a key. */
function hosts(said: Said) {
  const calls: string[] = [];
  const site = new Hono();
  site.get("/api/system-info", (c) => {
    const { origin } = new URL(c.req.url);
    calls.push(origin);
    if (c.req.header("x-api-key")) throw new Error("a key was sent");
    const info = said[origin];
    return info ? c.json({ success: true, ...info }) : c.json({ success: false, errorMsg: "Not found" }, 404);
  });
  const call = callFrom(site);
  return { call, calls };
}

const whole = { publicUrl: OLD, technicalUrl: TECHNICAL };
const found = { crmUrl: OLD, technicalUrl: TECHNICAL };

describe("where an account is", () => {
  it.each<[string, string, Said, Whereabouts]>([
    ["its public address, found by itself", OLD, { [OLD]: whole, [TECHNICAL]: whole }, found],
    ["its public address, found by the technical one", TECHNICAL, { [OLD]: whole, [TECHNICAL]: whole }, found],
    ["the typed address, when it says nothing", OLD, {}, { crmUrl: OLD }],
    ["the typed address, when the public one does not agree", ROGUE, { [ROGUE]: whole, [OLD]: {} }, { crmUrl: ROGUE }],
    [
      "without somebody else's technical address, which does not agree",
      ROGUE,
      { [ROGUE]: { publicUrl: ROGUE, technicalUrl: TECHNICAL }, [TECHNICAL]: whole },
      { crmUrl: ROGUE },
    ],
    [
      "the typed address, when the public one is not served",
      OLD,
      { [OLD]: { publicUrl: "https://evil.example", technicalUrl: OLD } },
      { crmUrl: OLD },
    ],
  ])("is %s", async (_, typed, said, expected) => {
    const { call, calls } = hosts(said);
    expect(await createLocate({ call, config })(typed)).toEqual(expected);
    expect(calls).not.toContain("https://evil.example");
  });
});

describe("an account that moves", () => {
  const binding = { apiKey: "key", clientId: "client", webhookSecret: "hook", gatewayUrl: "", gatewayToken: "token" };
  const moved = { publicUrl: NEW, technicalUrl: TECHNICAL };

  async function moving(said: Said, known?: string) {
    const { call, calls } = hosts(said);
    const store = await temporaryStore();
    const account: Account = await store.accounts.bind({ ...binding, crmUrl: OLD, technicalUrl: known });
    await createFollow({ call, config, store, clock: systemClock, log: silentLog })(account, NEW);
    return { now: await store.accounts.byId(account.id), store, calls };
  }

  it("is followed once the new address and the technical one name each other", async () => {
    const { now, store } = await moving({ [NEW]: moved, [TECHNICAL]: moved }, TECHNICAL);
    expect(now?.crmUrl).toBe(NEW);
    expect(await store.accounts.byCrmUrl(OLD)).toBeUndefined();
    const [row] = await store.audit.list({ limit: 1 });
    expect(row).toMatchObject({ actor: "crm", action: "account moved", detail: { crm: NEW } });
  });

  it("is followed when its technical address was not known, once the old address tells it", async () => {
    const said = { [NEW]: moved, [TECHNICAL]: moved };
    expect((await moving({ ...said, [OLD]: moved })).now?.crmUrl).toBe(NEW);
    // What still calls itself public is not what the technical address names.
    expect((await moving({ ...said, [OLD]: whole })).now?.crmUrl).toBe(OLD);
  });

  it.each<[string, Said]>([
    ["the new address is another account's", { [NEW]: { publicUrl: NEW, technicalUrl: NEW }, [TECHNICAL]: whole }],
    ["the new address only claims it", { [NEW]: moved, [TECHNICAL]: whole }],
    ["the new address says nothing", { [TECHNICAL]: moved }],
  ])("keeps its address, and its key stays there, when %s", async (_, said) => {
    const { now, calls } = await moving(said, TECHNICAL);
    expect(now).toMatchObject({ crmUrl: OLD, technicalUrl: TECHNICAL });
    expect(calls.length).toBeGreaterThan(0);
  });

  it("asks nobody about an address that is not served", async () => {
    const { call, calls } = hosts({});
    const store = await temporaryStore();
    const account = await store.accounts.bind({ ...binding, crmUrl: OLD });
    await createFollow({ call, config, store, clock: systemClock, log: silentLog })(account, "https://evil.example");
    expect(calls).toEqual([]);
  });
});
