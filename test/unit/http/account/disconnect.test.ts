import type { Call } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChannelAdapter } from "gangway-messenger/port";
import webchat from "gangway-webchat";
import { describe, expect, it } from "vitest";
import { CRM, runningSite } from "../../../support/site.ts";
import { until } from "../../../support/until.ts";

/** A site with one connected account that has a web chat. */
async function connected(call?: (real: Call) => Call, adapters?: ChannelAdapter[]) {
  const site = await runningSite({ call, adapters });
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const disconnect = async () =>
    site.submit("/account/disconnect", { formToken: await site.formToken(cookie) }, { cookie });
  return { ...site, cookie, disconnect };
}
const channelsOf = ({ sandbox }: { sandbox: Awaited<ReturnType<typeof runningSite>>["sandbox"] }) => [
  ...sandbox.world.channels.values(),
];

describe("disconnecting an account", () => {
  it("is asked once more, with what stops and what stays", async () => {
    const site = await connected();
    const page = await (await site.ask("/account/disconnect", { headers: { cookie: site.cookie } })).text();
    expect(page).toContain("These channels are removed: Shop chat.");
    expect(page).toContain("text of delivered messages after 7 days");
    expect(channelsOf(site)[0]?.active).toBe(true);
  });

  it("removes the messengers, switches the module off in the CRM and ends the visit", async () => {
    const site = await connected();
    const done = await site.disconnect();
    expect(done.status).toBe(303);
    const page = await (await site.ask(done.headers.get("location") ?? "")).text();
    expect(page).toContain("The account is disconnected, and the module is switched off in the CRM.");
    expect(page).toContain(`value="${CRM}"`);
    expect(channelsOf(site).map(({ active }) => active)).toEqual([false]);
    expect(site.sandbox.world.modules.get("gangway")).toMatchObject({ active: false });
    expect((await site.ask("/account", { headers: { cookie: site.cookie } })).status).toBe(401);
    const { accounts, channels } = await site.stored(async (store) => {
      const accounts = await store.accounts.list();
      return { accounts, channels: accounts[0] && (await store.channels.list(accounts[0].id)) };
    });
    expect([accounts[0]?.active, channels]).toEqual([false, []]);
  });

  it("is undone by connecting again, under the same client id", async () => {
    const site = await connected();
    const before = site.sandbox.world.modules.get("gangway")?.registration.clientId;
    await site.disconnect();
    const cookie = await site.connect();
    const settings = await site.ask("/account/settings", { headers: { cookie } });
    expect(await settings.text()).toContain(">Working<");
    const { active, registration } = site.sandbox.world.modules.get("gangway") ?? {};
    expect([active, registration?.clientId]).toEqual([true, before]);
  });

  it("goes through here when neither CRM nor gateway can be told, and says what is left to do", async () => {
    let isCut = false;
    const site = await connected((real) => async (request) => {
      if (isCut) return { type: "failure", reason: "refused", detail: "cut", sent: "no" };
      return real(request);
    });
    isCut = true;
    const done = await site.disconnect();
    const page = await (await site.ask(done.headers.get("location") ?? "")).text();
    expect(page).toContain("Switch the module off in the CRM&#39;s list of integrations.");
    expect(site.sandbox.world.modules.get("gangway")?.active).toBe(true);
  });

  it("says so when a messenger could not be told", async () => {
    const open: typeof webchat.open = (context) => ({
      ...webchat.open(context),
      disconnect: () => Promise.reject(new DeliveryError({ type: "retry" }, "no answer")),
    });
    const site = await connected(undefined, [{ ...webchat, open }]);
    const done = await site.disconnect();
    const page = await (await site.ask(done.headers.get("location") ?? "")).text();
    expect(page).toContain("the module is switched off in the CRM.");
    expect(page).toContain("We could not notify at least one messenger");
    expect(channelsOf(site).map(({ active }) => active)).toEqual([false]);
  });

  it("removes a messenger, too, that another form adds meanwhile", async () => {
    const removing = { begun: false, added: false };
    const site = await connected((real) => async (request) => {
      if (request.method === "DELETE" && /\/channels\/\d+$/.test(request.url)) {
        removing.begun = true;
        await until("another messenger", () => removing.added);
      }
      return real(request);
    });
    const done = site.disconnect();
    await until("the first messenger's removal", () => removing.begun);
    expect((await site.addChannel(site.cookie)).status).toBe(303);
    removing.added = true;
    expect((await done).status).toBe(303);
    expect(channelsOf(site).map(({ active }) => active)).toEqual([false, false]);
    const left = await site.stored(async (store) => {
      const [account] = await store.accounts.list();
      return account && (await store.channels.list(account.id));
    });
    expect(left).toEqual([]);
  });

  it("takes a form of ours", async () => {
    const site = await connected();
    const forged = await site.submit("/account/disconnect", { formToken: "no" }, { cookie: site.cookie });
    expect(forged.status).toBe(403);
    expect(channelsOf(site)[0]?.active).toBe(true);
  });
});
