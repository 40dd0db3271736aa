import type { Call } from "gangway-messenger/call";
import { LANGUAGES } from "gangway-messenger/language";
import { describe, expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { readRows } from "../../support/engine.ts";
import { runningSite } from "../../support/site.ts";
import { BOT_TOKEN, permissiveTelegram } from "../../support/telegram.ts";

async function setUp(around: (real: Call) => Call = (real) => real) {
  const telegram = permissiveTelegram();
  const site = await runningSite({ call: (real) => around(telegram.before(real)) });
  const cookie = await site.connect();
  const formToken = await site.formToken(cookie);
  const check = async (fields: object = {}, headers: object = {}, kind = "telegram") => {
    const form = { formToken, kind, "setting.token": BOT_TOKEN, ...fields };
    const answer = await site.submit(`/account/add/${kind}/check`, form, { cookie, ...headers });
    return { status: answer.status, text: (await answer.text()).replaceAll("&#39;", "'") };
  };
  return { ...site, cookie, check, asked: () => telegram.asked.map(({ method }) => method) };
}

describe("the form of a new messenger while it is filled", () => {
  it("shows whose token it is, connects nothing, stores nothing, and repeats no token", async () => {
    const { check, asked, folder } = await setUp();
    const { status, text } = await check();
    expect([status, text]).toEqual([200, expect.stringContaining("Found: @harbour_bot")]);
    expect(text).toContain('data-checked="add-telegram-token"');
    expect(text).not.toContain(BOT_TOKEN);
    expect(asked()).toEqual(["getMe"]);
    expect((await readRows(folder, ["channel"])).channel ?? []).toEqual([]);
  });

  it.each(LANGUAGES)("says what is wrong with a field, and asks nobody: %s", async (language) => {
    const { check, asked } = await setUp();
    const headers = { "accept-language": language };
    const { status, text } = await check({ "setting.token": "12:ab" }, headers);
    expect([status, text]).toEqual([200, expect.stringContaining("1234567890:AAF")]);
    // An empty field is not wrong yet, nor does a field out of sight hide what is known.
    const empty = await check({ "setting.token": "" }, headers);
    expect(empty.text).not.toContain(strings[language].settingFaults.missing);
    expect(empty.text).not.toContain("problem");
    expect(asked()).toEqual([]);
  });

  it("says what the messenger refuses", async () => {
    const refusal = { type: "answer" as const, status: 401, headers: { "content-type": "application/json" } };
    const bytes = Buffer.from(JSON.stringify({ ok: false, error_code: 401, description: "Unauthorized" }));
    const { check } = await setUp(
      (real) => async (request) => (request.url.includes("/getMe") ? { ...refusal, bytes } : real(request)),
    );
    const { status, text } = await check();
    expect([status, text]).toEqual([200, expect.stringContaining("Telegram does not recognise this token")]);
  });

  it("is checked for the account's own form only, and never for a messenger that does not exist", async () => {
    const { check, asked, cookie } = await setUp();
    const stranger = cookie.replace(/=.*/, "=guess");
    expect((await check({ formToken: "guess" })).status).toBe(403);
    expect((await check({}, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await check({}, { cookie: stranger })).status).toBe(401);
    expect((await check({}, {}, "pigeon")).status).toBe(404);
    expect((await check({}, {}, "webchat")).text).not.toContain("Found: ");
    expect(asked()).toEqual([]);
  });
});
