import { describe, expect, it } from "vitest";
import { byUser } from "../../../../../src/store/care.ts";
import { ENGINES, oneChannelOn } from "../../../../support/engines.ts";
import { addAccount, takeLease } from "../../../../support/store.ts";

describe.each(ENGINES)("an account, on $name,", (engine) => {
  it("is found by whatever names it, and bound again under the same id", async () => {
    const { store, account } = await oneChannelOn(engine);
    const { id, crmUrl, clientId, webhookSecret } = account;
    const found = () =>
      Promise.all([
        store.accounts.byId(id),
        store.accounts.byCrmUrl(crmUrl),
        store.accounts.byClientId(clientId),
        store.accounts.byWebhookSecret(webhookSecret),
      ]);
    expect(await found()).toEqual([account, account, account, account]);
    const { apiKey, gatewayUrl } = account;
    const binding = { crmUrl, clientId, webhookSecret, apiKey, gatewayUrl, technicalUrl: "https://t.example" };
    const again = await store.accounts.bind({ ...binding, gatewayToken: "token-2" });
    expect(again).toEqual({ ...account, technicalUrl: "https://t.example", gatewayToken: "token-2" });
    expect(await store.accounts.byTechnicalUrl("https://t.example")).toEqual(again);
    await addAccount(store, "second");
    expect((await store.accounts.list()).map((each) => each.crmUrl).sort()).toEqual(
      ["https://second.retailcrm.ru", crmUrl].sort(),
    );
    expect(await store.accounts.byCrmUrl("https://third.retailcrm.ru")).toBeUndefined();
  });

  it("keeps what is set, and a trouble is only prolonged while there is one", async () => {
    const { store, account } = await oneChannelOn(engine);
    const { id } = account;
    const now = async () => store.accounts.byId(id);
    await store.accounts.prolongTrouble(id, { text: "no", restUntil: 5 });
    expect((await now())?.trouble).toBeUndefined();
    await store.accounts.setTrouble(id, { text: "the key is dead", restUntil: 5 });
    await store.accounts.prolongTrouble(id, { text: "still dead", restUntil: 9 });
    await store.accounts.setLocale(id, { language: "es", timeZone: "Europe/Madrid" });
    await store.accounts.setActivity(id, { active: true, frozen: true }, 1_000);
    await store.accounts.setUnanswered(await takeLease(store, id), [3]);
    const set = { trouble: "still dead", language: "es", timeZone: "Europe/Madrid", active: true, frozen: true };
    expect(await now()).toMatchObject(set);
    await store.accounts.setGatewayToken(id, "token-new");
    await store.accounts.setActivity(id, { active: true, frozen: false }, 1_000);
    expect(await now()).toEqual({ ...account, ...set, trouble: undefined, frozen: false, gatewayToken: "token-new" });
  });

  it("moves only to an address that no other account has", async () => {
    const { store, account } = await oneChannelOn(engine);
    const other = await addAccount(store, "other");
    const by = byUser("account moved");
    expect(await store.accounts.move(account.id, { crmUrl: other.crmUrl }, by)).toBe(false);
    expect(await store.accounts.move(account.id, { crmUrl: "https://new.retailcrm.ru" }, by)).toBe(true);
    expect((await store.accounts.byCrmUrl("https://new.retailcrm.ru"))?.id).toBe(account.id);
    expect(await store.accounts.byCrmUrl(account.crmUrl)).toBeUndefined();
    const acts = await store.audit.list({ accountId: account.id, limit: 9 });
    expect(acts.map(({ action, detail }) => [action, detail])).toEqual([
      ["account moved", { crm: "https://new.retailcrm.ru" }],
    ]);
  });

  it("has no secret unsealed in the database, and one that does not open fails alone", async () => {
    const { store, account, rows, change } = await oneChannelOn(engine);
    const stored = JSON.stringify(await rows("account"));
    for (const secret of [account.apiKey, account.clientId, account.webhookSecret, account.gatewayToken])
      expect(stored).not.toContain(secret);
    await change("UPDATE account SET gateway_token_sealed = 'v1.test.bent.bent'");
    const found = await store.accounts.byId(account.id);
    expect(found?.apiKey).toBe(account.apiKey);
    expect(() => found?.gatewayToken).toThrow("account.gateway_token");
  });
});
