import type { Call, CallResult } from "gangway-messenger/call";
import { describe, expect, it } from "vitest";
import { openStage } from "../../fuzz/stage.ts";
import { readRows, writeRows } from "../../support/engine.ts";
import { until } from "../../support/until.ts";

const json = (status: number, body: object): CallResult => ({
  type: "answer",
  status,
  headers: { "content-type": "application/json" },
  bytes: Buffer.from(JSON.stringify(body)),
});
const DOWN: CallResult = { type: "failure", sent: "no", reason: "refused", detail: "127.0.0.1:7001" };

/** What the bot's server answers to a token that was revoked, and while it is down. */
const REVOKED = json(401, { ok: false, error_code: 401, description: "Unauthorized" });
const BAD_GATEWAY = json(502, { ok: false, error_code: 502, description: "Bad Gateway" });

/** A site whose calls to paths that match are answered by the test. */
async function testedSite() {
  let broken: { path: RegExp; answer: CallResult } | undefined;
  const around =
    (real: Call): Call =>
    async (request) =>
      broken?.path.test(new URL(request.url).pathname) ? broken.answer : real(request);
  const stage = await openStage({ around });
  const [chat = "", bot = ""] = stage.chat.ids;
  const test = async (id: string, language = "en") => {
    const headers = { cookie: `${stage.cookie}; gangway-language=${language}` };
    const begun = await stage.submit(`/account/channels/${id}/test`, { formToken: stage.token }, headers);
    const page = await (await stage.ask(begun.headers.get("location") ?? "", { headers })).text();
    const hops = [
      ...page.matchAll(/data-hop="(\w+)".*?<strong>.*?<\/strong>(?:<span class="detail">(.*?)<\/span>)?/gs),
    ];
    return { page, hops: Object.fromEntries(hops.map(([, hop, fault]) => [hop, fault])) };
  };
  const breakAt = (path: RegExp, answer: CallResult) => {
    broken = { path, answer };
  };
  /** The badge that the account's page shows, and whether the channel's own page has the same. */
  const badge = async (id: string) => {
    const [account, own] = await Promise.all(
      ["/account", `/account/channels/${id}`].map(async (path) => {
        const page = await (await stage.ask(path, { headers: { cookie: stage.cookie } })).text();
        return new RegExp(`data-fresh="word-${id}" data-word="(\\w+)">`).exec(page)?.[1];
      }),
    );
    return own === account ? account : `${account} and ${own}`;
  };
  return { ...stage, chat, bot, test, breakAt, badge };
}

describe("the test of a connection", () => {
  it("says that every part works, and changes nothing", async () => {
    const site = await testedSite();
    const { page, hops } = await site.test(site.chat);
    expect(hops).toEqual({ crm: undefined, gateway: undefined, channel: undefined, messenger: undefined });
    expect(page).toContain("Every part of the connection works.");
    expect([...site.sandbox.world.channels.values()]).toHaveLength(2);
    expect(site.sandbox.calls.entries(true)).toEqual([]);
    await site.close();
  });

  it.each<[string, RegExp, CallResult, string, RegExp]>([
    ["a CRM that is down", /\/api\/v5\//, DOWN, "crm", /could not reach your CRM/],
    [
      "a key that was deleted",
      /\/api\/v5\//,
      json(403, { success: false, errorMsg: 'Wrong "apiKey" value.' }),
      "crm",
      /does not recognise this API key/,
    ],
    [
      "a module that was switched off in the CRM",
      /\/api\/v5\/integration-modules\//,
      json(200, { success: true, integrationModule: { code: "gangway", active: false, freeze: false } }),
      "crm",
      /when you switch the module on again/,
    ],
    ["a gateway that is down", /\/api\/transport\/v1\/channels$/, DOWN, "gateway", /Unexpected answer: /],
    [
      "a channel that the gateway has lost",
      /\/api\/transport\/v1\/channels\/\d+$/,
      json(404, { errors: ["Channel not found"] }),
      "channel",
      /Channel not found/,
    ],
  ])("names the part that fails: %s", async (_, path, answer, hop, words) => {
    const site = await testedSite();
    site.breakAt(path, answer);
    const { page, hops } = await site.test(site.chat);
    expect(Object.entries(hops).filter(([, fault]) => fault)).toEqual([[hop, expect.stringMatching(words)]]);
    expect(page).toContain("Part of the connection does not work.");
    await site.close();
  });

  it.each([
    ["a dead token", REVOKED, "stopped", /token/],
    ["a messenger that is down", BAD_GATEWAY, "troubled", /502|Bad Gateway/],
  ])("is seen on the pages afterwards: %s", async (_, answer, word, trouble) => {
    const site = await testedSite();
    site.breakAt(/\/getMe$/, answer);
    await site.test(site.bot);
    expect(await site.badge(site.bot)).toBe(word);
    const { channel = [] } = await readRows(site.folder, ["channel"]);
    expect(channel.find(({ id }) => id === site.bot)?.trouble).toMatch(trouble);
    await site.close();
  });

  it("says what is left to do at the messenger, and takes it for no trouble", async () => {
    const site = await testedSite();
    const settings = { name: "Bot", "setting.updates": "polling", "setting.businessOwners": "5120000042" };
    await site.submit(`/account/channels/${site.bot}`, { formToken: site.token, ...settings }, { cookie: site.cookie });
    const { page, hops } = await site.test(site.bot);
    expect(hops.messenger).toMatch(/^Nothing has come from the Telegram account yet\. .* Chatbots/);
    expect(page).toContain("there is something left for you to do");
    const { channel = [] } = await readRows(site.folder, ["channel"]);
    const { state, trouble } = channel.find(({ id }) => id === site.bot) ?? {};
    expect([state, String(trouble)]).toEqual(["active", expect.not.stringContaining("nothing has come")]);
    await site.close();
  });

  it("leaves a pause what it is, whatever it finds", async () => {
    const site = await testedSite();
    await writeRows(site.folder, `UPDATE channel SET state = 'paused' WHERE id = '${site.bot}'`);
    await until("the pause", async () => (await site.badge(site.bot)) === "paused");
    site.breakAt(/\/getMe$/, REVOKED);
    const { hops } = await site.test(site.bot);
    expect(hops.messenger).toContain("token");
    expect(await site.badge(site.bot)).toBe("paused");
    await site.close();
  });

  it("names a messenger that sends nothing here, or was stopped, in the page's language", async () => {
    const site = await testedSite();
    const { hops } = await site.test(site.bot);
    expect(hops).toMatchObject({ crm: undefined, messenger: expect.stringContaining("removed the webhook") });
    const change = async (set: string) => {
      const before = await site.badge(site.bot);
      await writeRows(site.folder, `UPDATE channel SET ${set}`);
      await until("the change", async () => (await site.badge(site.bot)) !== before);
    };
    await change("state = 'stopped', trouble = 'this token belongs to another bot'");
    const russian = await site.test(site.bot, "ru");
    expect(russian.hops.messenger).toBe("Остановлен: этот токен принадлежит другому боту.");
    await change("state = 'active', settings_sealed = 'broken'");
    expect((await site.test(site.bot)).hops.messenger).toContain(
      "stored settings of this channel can no longer be read",
    );
    await site.close();
  });
});
