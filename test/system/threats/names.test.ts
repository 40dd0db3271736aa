import { describe, expect, it } from "vitest";
import { openStage } from "../../fuzz/stage.ts";
import { readRows } from "../../support/engine.ts";
import { LONG } from "../../support/long.ts";
import { OWN } from "../../support/site.ts";
import { until } from "../../support/until.ts";
import { anatomy } from "../pages/anatomy.ts";
import { ODD_NAMES, PAYLOADS } from "../pages/payloads.ts";

/** A lone surrogate can come in JSON. */
const NAMES = [...PAYLOADS, ...ODD_NAMES, "\ud800"];
const HIDDEN = /[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u;
const OURS = new RegExp(
  `^ src="(/forms.js" defer=""|${OWN}/channels/webchat/(widget|design).js" data-channel="[\\w-]{43}"( data-form="design")? async)$`,
);

/** People and groups with such names, who have written to a bot of the account. */
async function crowd() {
  const stage = await openStage();
  const headers = { "x-telegram-bot-api-secret-token": stage.bot.secret };
  const send = (update: object) => stage.ask(stage.bot.door, { method: "POST", headers, body: JSON.stringify(update) });
  for (const [n, name] of NAMES.entries()) {
    const from = { id: 700_000 + n, first_name: name, last_name: name, username: name, language_code: name };
    const base = { message_id: n + 10, date: 1_764_000_000, from, text: `Hello from ${name}` };
    await send({ update_id: 1_000 + 2 * n, message: { ...base, chat: { ...from, type: "private" } } });
    const group = { id: -900_000 - n, type: "group", title: name, all_members_are_administrators: false };
    await send({ update_id: 1_001 + 2 * n, message: { ...base, chat: group } });
  }
  await until("all messages to end", async () =>
    (await readRows(stage.folder, ["message"])).message?.every(({ state }) => state === "done" || state === "dead"),
  );
  return stage;
}

describe("hostile names", () => {
  it("of customers, chats and searches change no page, answer, header or log line", async () => {
    const { ask, submit, cookie, token: formToken, lines, sandbox, chat } = await crowd();
    const answers: [string, Response][] = [];
    const [id = ""] = chat.ids;
    const paths = [
      "",
      "/undelivered",
      "/customers",
      "/messages",
      "/history",
      "/settings",
      "/key",
      "/add",
      "/disconnect",
      `/channels/${id}`,
    ];
    for (const path of [...paths, `/channels/${id}/try`, `/channels/${id}/preview`, "/add/telegram"])
      answers.push([path, await ask(`/account${path}`, { headers: { cookie } })]);
    for (const text of NAMES.filter((_, n) => LONG || n % 4 === 0 || n === NAMES.length - 1))
      for (const path of ["/customers", "/messages", `/channels/${id}/preview`])
        answers.push([path, await submit(`/account${path}`, { formToken, text, count: text, kind: text }, { cookie })]);
    const usual = { text: "no such words" };
    const none = anatomy(await (await submit("/account/customers", { formToken, ...usual }, { cookie })).text());
    const tags =
      /^\/?(!doctype|html|head|meta|title|link|script|body|header|img|span|nav|a|main|footer|form|button|section|h[12]|p|input|label|div|ul|ol|li|table|thead|tbody|tr|td|th|strong|q|time|details|summary|select|option|textarea|svg|rect|circle|ellipse|path|text|g|use|line|figure|figcaption|aside|dl|dt|dd|code|pre|small|em)\b/;
    expect(none).toMatch(tags);
    let named = 0;
    for (const [path, answer] of answers) {
      const page = await answer.text();
      expect([path, answer.status]).toEqual([path, 200]);
      expect(page.split("<h1")).toHaveLength(2);
      for (const [, source] of page.matchAll(/<script([^>]*)/g)) expect(source).toMatch(OURS);
      for (const line of anatomy(page).split("\n")) expect(line).toMatch(tags);
      for (const [, text] of answer.headers) expect(text).toMatch(/^[\x20-\x7e]*$/);
      if (page.includes("&lt;script&gt;")) named += 1;
    }
    expect(named).toBeGreaterThan(1);
    for (const line of lines.join("").trim().split("\n")) {
      expect(line).not.toMatch(/\p{Cc}/u);
      expect(JSON.parse(line)).toMatchObject({ event: expect.any(String) });
    }
    const nicknames = [...sandbox.world.customers.values()].map(({ nickname }) => nickname);
    expect(nicknames.length).toBeGreaterThan(NAMES.length);
    for (const nickname of nicknames) expect(nickname).not.toMatch(HIDDEN);
  });

  it("of messengers are shown as text, in the CRM too, and are always visible", async () => {
    const stage = await openStage();
    const { cookie, token: formToken, sandbox } = stage;
    const [id = ""] = stage.chat.ids;
    const at = `/account/channels/${id}`;
    const settings = { "setting.title": "Chat", "setting.accent": "#000000" };
    let named = 0;
    for (const name of NAMES) {
      const answer = await stage.submit(at, { formToken, name, ...settings }, { cookie });
      expect([name, answer.status]).toEqual([name, /.{101}/su.test(name) ? 422 : 303]);
      const page = await (await stage.ask("/account", { headers: { cookie } })).text();
      expect(page.split("<script")).toHaveLength(2);
      const row = page.split(` data-channel="${id}"`)[1] ?? "";
      const shown = /<h2><a href="[^"]+">([^<]*)<\/a>/.exec(row)?.[1] ?? "";
      expect(shown).toMatch(/[\p{L}\p{N}\p{P}\p{S}]/u);
      expect(shown).not.toMatch(HIDDEN);
      if (shown.includes("script")) named += 1;
    }
    expect(named).toBeGreaterThan(5);
    for (const { name } of sandbox.world.channels.values()) expect(name).not.toMatch(HIDDEN);
  });
});
