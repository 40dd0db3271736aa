import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { writeRows } from "../../../support/engine.ts";
import { OWN, runningSite } from "../../../support/site.ts";
import { until } from "../../../support/until.ts";

const clientIdOf = (site: Awaited<ReturnType<typeof runningSite>>) =>
  site.sandbox.world.modules.get("gangway")?.registration.clientId ?? "";
const idOf = (page: string) => /data-channel="([\w-]{22})"/.exec(page)?.[1] ?? "";

describe("the account page", () => {
  it("opens for the CRM's own form with the client id, and for nobody else", async () => {
    const site = await runningSite();
    await site.connect();
    const from = { origin: "https://shop.retailcrm.ru", "sec-fetch-site": "cross-site" };
    const opened = await site.submit("/account", { clientId: clientIdOf(site) }, from);
    expect([opened.status, opened.headers.get("location")]).toEqual([303, "/account"]);
    const entered = await site.ask("/account", { headers: { cookie: site.cookieOf(opened) } });
    expect(entered.status).toBe(303);
    expect(await site.page(site.cookieOf(entered))).toContain("<h1>Channels</h1>");
    const stranger = await site.submit("/account", { clientId: "guess" }, from);
    expect([stranger.status, stranger.headers.get("set-cookie")]).toEqual([401, null]);
    expect((await site.ask(`/account?clientId=${clientIdOf(site)}`)).status).toBe(401);
  });

  it("shows no secret", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const page = await site.page(cookie);
    const { token, registration } = site.sandbox.world.modules.get("gangway") ?? {};
    for (const secret of [
      "sandbox-key",
      token,
      registration?.clientId,
      registration?.integrations.mgTransport?.webhookUrl,
    ])
      expect(page).not.toContain(secret);
  });

  it("works although a channel's settings do not decrypt, and can remove that channel", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const id = idOf(await site.page(cookie));
    const at = `/account/channels/${id}`;
    await writeRows(site.folder, "UPDATE channel SET settings_sealed = substr(settings_sealed, 1, 40)");
    const page = await until("the unreadable settings", async () => {
      const shown = await site.page(cookie);
      return shown.includes("can no longer be read") && shown;
    });
    expect(page).not.toContain(`action="${at}"`);
    expect((await site.ask(`${at}/preview`, { headers: { cookie } })).status).toBe(404);
    const formToken = await site.formToken(cookie);
    const removed = await site.submit(`${at}/remove`, { formToken }, { cookie });
    expect(removed.headers.get("location")).toBe("/account?done=removed");
    expect(await site.page(cookie)).not.toContain(id);
    expect([...site.sandbox.world.channels.values()]).toMatchObject([{ active: false }]);
  });

  it("does not mask a value written into a public setting", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const at = `/account/channels/${idOf(await site.page(cookie))}`;
    const words = "channel.removed,channel,account,server.listening_on_this_machine";
    const fields = { name: "Chat", "setting.title": words, "setting.greeting": words, "setting.accent": "#000000" };
    const formToken = await site.formToken(cookie);
    await site.submit(at, { formToken, ...fields }, { cookie });
    await site.submit(`${at}/remove`, { formToken }, { cookie });
    await until("the removal", () => site.lines.join("").includes('"event":"channel.removed"'));
    expect(site.lines.join("")).not.toContain("***");
  });

  it("sends security headers", async () => {
    const { ask } = await runningSite();
    const { headers } = await ask("/");
    expect(headers.get("content-security-policy")?.split("; ")).toEqual([
      ...["default-src 'none'", "style-src 'self'", "script-src 'self'", "connect-src 'self'", "img-src 'self' data:"],
      ...["media-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
    ]);
    expect(headers.get("referrer-policy")).toBe("same-origin");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("adds, changes and removes a messenger, here and at the gateway", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    const added = await site.addChannel(cookie);
    const at = `/account/channels/${idOf(await site.page(cookie))}`;
    expect(added.headers.get("location")).toBe(`${at}?done=added`);
    const [channel] = [...site.sandbox.world.channels.values()];
    expect(channel).toMatchObject({ type: "consultant", name: "Shop chat", active: true });
    const page = await site.page(cookie);
    expect(page).toContain(`&lt;script src=&quot;${OWN}/channels/webchat/widget.js&quot; data-channel=`);

    const formToken = await site.formToken(cookie);
    const fields = {
      formToken,
      name: "New name",
      "setting.title": "T",
      "setting.accent": "#000000",
      "setting.allowedOrigins": "https://a.example\r\nhttps://b.example",
    };
    const changed = await site.submit(`/account/channels/${idOf(page)}`, fields, { cookie });
    expect(changed.headers.get("location")).toBe(`${at}?done=changed#settings`);
    expect(channel?.name).toBe("New name");
    expect(await site.page(cookie)).toContain("https://a.example\nhttps://b.example");

    const removed = await site.submit(`/account/channels/${idOf(page)}/remove`, { formToken }, { cookie });
    expect(removed.headers.get("location")).toBe("/account?done=removed");
    expect(channel?.active).toBe(false);
  });

  it("announces a change to the gateway only when there is one", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const updates = () => site.sandbox.calls.entries().filter((call) => call.operation === "updateChannel").length;
    const fields = {
      formToken: await site.formToken(cookie),
      name: "Shop chat",
      "setting.title": "Another",
      "setting.accent": "#000000",
    };
    const at = `/account/channels/${idOf(await site.page(cookie))}`;
    await site.submit(at, fields, { cookie });
    expect(updates()).toBe(0);
    await site.submit(at, { ...fields, name: "Renamed" }, { cookie });
    expect(updates()).toBe(1);
  });

  it("explains an invalid setting at its field, and keeps the input", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    const formToken = await site.formToken(cookie);
    const fields = {
      formToken,
      kind: "webchat",
      name: "Typed name",
      "setting.title": "Chat",
      "setting.accent": "#0f5f6b",
      "setting.allowedOrigins": "shop",
    };
    const refused = await site.submit("/account/channels", fields, { cookie });
    const page = await refused.text();
    expect(refused.status).toBe(422);
    expect(page).toMatch(/Sites that may show the chat.*Enter one address per line/);
    expect(page).toContain("Typed name");
    expect(site.sandbox.world.channels.size).toBe(0);
  });

  it("leaves no half-made channel when the gateway refuses it", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    site.sandbox.fetch(
      new Request("http://127.0.0.1:7001/sandbox/faults", {
        method: "POST",
        body: JSON.stringify({ operation: "activateChannel", times: 1, status: 500 }),
      }),
    );
    const refused = await site.addChannel(cookie);
    expect(await refused.text()).toMatch(/chats did not accept the channel/);
    expect(idOf(await site.page(cookie))).toBe("");
    expect((await site.addChannel(cookie)).status).toBe(303);
  });

  it.each([
    ["without the form's token", { formToken: "" }, {}],
    ["with another's token", { formToken: "x".repeat(43) }, {}],
    ["from another site", {}, { origin: "https://evil.example" }],
    ["from a sandboxed frame", {}, { origin: "null" }],
    ["marked as cross-site", {}, { "sec-fetch-site": "cross-site" }],
    ["marked as same-site", {}, { "sec-fetch-site": "same-site" }],
  ])("changes nothing for a form %s", async (_, fields, headers) => {
    const site = await runningSite();
    const cookie = await site.connect();
    const sent = {
      formToken: await site.formToken(cookie),
      kind: "webchat",
      name: "x",
      "setting.title": "t",
      "setting.accent": "#000000",
      ...fields,
    };
    expect((await site.submit("/account/channels", sent, { cookie, ...headers })).status).toBe(403);
    expect(site.sandbox.world.channels.size).toBe(0);
  });

  it("changes nothing of another account's, whatever the route", async () => {
    const [victim, attacker] = [await runningSite(), await runningSite()];
    const theirs = await victim.connect();
    await victim.addChannel(theirs);
    const id = idOf(await victim.page(theirs));
    const cookie = await attacker.connect();
    const formToken = await attacker.formToken(cookie);
    for (const path of [
      `/account/channels/${id}`,
      `/account/channels/${id}/remove`,
      `/account/channels/${id}/resume`,
      `/account/channels/${id}/test`,
      `/account/channels/${id}/try`,
      "/account/jobs/1/again",
      "/account/jobs/x/again",
      "/account/jobs/1/arrived",
      "/account/jobs/1/drop",
      "/account/jobs/1/discard",
      "/account/jobs/1/restore",
    ])
      expect((await attacker.submit(path, { formToken, name: "x" }, { cookie })).status, path).toBe(404);
  });

  it("rejects a visit that has ended", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.submit("/account/leave", { formToken: await site.formToken(cookie) }, { cookie });
    expect((await site.ask("/account", { headers: { cookie } })).status).toBe(401);
  });

  it("shows a messenger's event counts, and alerts when an event is lost", async () => {
    const site = await runningSite();
    const cookie = await site.connect();
    await site.addChannel(cookie);
    const door = /data-channel=&quot;([\w-]{43})&quot;/.exec(await site.page(cookie))?.[1] ?? "";
    const open = (await (await site.ask(`/m/${door}/open`, { method: "POST", body: "{}" })).json()) as {
      visitor: string;
    };
    const headers = { authorization: `Bearer ${open.visitor}` };
    const body = JSON.stringify({ id: randomUUID(), text: "hello" });
    expect((await site.ask(`/m/${door}/messages`, { method: "POST", headers, body })).status).toBe(200);
    await until("the delivery", async () => (await site.page(cookie)).includes("<strong>1</strong> delivered"));
    expect(await site.page(cookie)).not.toContain("Our records do not add up");
    await writeRows(site.folder, "UPDATE tally SET delivered = 0");
    expect(await site.page(cookie)).toContain("Accepted but unaccounted for: 1.");
  });

  it("shows names that look like markup as text", async () => {
    const names = [
      "<script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "{{7*7}}",
      "</textarea><svg onload=alert(1)>",
      "' onfocus='alert(1)",
    ];
    const site = await runningSite();
    const cookie = await site.connect();
    for (const name of names) await site.addChannel(cookie, name);
    const page = await site.page(cookie);
    expect(page.match(/<script>|<img src=x|<svg onload/g)).toBeNull();
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  });

  it("refuses a form over its limit", async () => {
    const site = await runningSite({ formBytes: 2_000 });
    expect((await site.submit("/", { crmUrl: "x".repeat(5_000), apiKey: "y" })).status).toBe(413);
  });
});
