import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { planMessage } from "gangway-messenger/planning";
import telegram from "gangway-telegram";
import webchat from "gangway-webchat";
import { describe, expect, it } from "vitest";
import { readUpdate } from "../../../messengers/telegram/src/reading/reading.ts";
import type { Settings } from "../../../messengers/telegram/src/wire.ts";
import type { GatewayChannelId } from "../../../src/domain/ids.ts";
import { toSendRequest } from "../../../src/gateway/client.ts";
import { parseWebhook } from "../../../src/gateway/webhook.ts";
import { cpuMeter } from "../../support/cpu.ts";
import { fc, tries } from "../../support/property.ts";
import { BOT_TOKEN } from "../../support/telegram.ts";

/** Any text: other alphabets, emoji, control and direction characters, lone surrogates, markup and formulas. */
const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 400 }) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 400 }) },
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 200 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(
    "*bold*",
    "_x_",
    "`code`",
    "<b>x</b>",
    "[a](https://evil.example)",
    "@all",
    "=1+1",
    "\u202egnp.exe",
    "/start",
    "\\",
    "a\u0000b",
  ),
);
const capabilitiesOf = {
  telegram: telegram.capabilities(telegram.settings.parse({ token: BOT_TOKEN })),
  webchat: webchat.capabilities(webchat.settings.parse({})),
};
const chat = { channel_id: 1, external_chat_id: "c", external_user_id: "c" };

describe("a text", () => {
  it.each(Object.entries(capabilitiesOf))("from an agent reaches a customer of %s unchanged", (_, capabilities) => {
    fc.assert(
      fc.property(anyText, (content) => {
        const data = { ...chat, id: 1, type: "text", content, quote_content: null, quote_external_id: null };
        const parsed = parseWebhook(JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data }));
        if (parsed.type !== "act" || parsed.act.type !== "message") throw new Error("not a message");
        const { steps } = planMessage(parsed.act, capabilities);
        expect(steps).toMatchObject([{ do: "send", text: content, marks: [] }]);
      }),
      tries(1_000),
    );
  });

  it("from a customer reaches an agent unchanged", async () => {
    const person = { id: 5, type: "private", first_name: "Robin" };
    const view = { botId: "1", settings: telegram.settings.parse({ token: BOT_TOKEN }) as Settings };
    await fc.assert(
      fc.asyncProperty(anyText, async (text) => {
        const message = { message_id: 1, date: 1, chat: person, from: person, text };
        const read = await readUpdate({ update_id: 1, message }, { ...view, now: 1, note: async () => undefined });
        const [event] = read?.events ?? [];
        if (event?.type !== "message") throw new Error("not a message");
        const request = toSendRequest("1" as GatewayChannelId, { event, files: [] }, { quote: false });
        expect(request.message).toMatchObject({ text });
      }),
      tries(1_000),
    );
  });

  it("used as a name loses control and direction characters", async () => {
    const view = { botId: "1", settings: telegram.settings.parse({ token: BOT_TOKEN }) as Settings };
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (first_name, last_name) => {
        const person = { id: 5, type: "private", first_name, last_name };
        const message = { message_id: 1, date: 1, chat: person, from: person, text: "x" };
        const read = await readUpdate({ update_id: 1, message }, { ...view, now: 1, note: async () => undefined });
        const [event] = read?.events ?? [];
        if (event?.type !== "message") throw new Error("not a message");
        expect(event.customer.nickname).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        expect(event.customer.nickname).not.toBe("");
      }),
      tries(500),
    );
  });
});

const ROOT = join(import.meta.dirname, "..", "..", "..");
const sources = globSync("{src,packages/*/src,messengers/*/src}/**/*.{ts,tsx}", { cwd: ROOT }).map((file) =>
  join(ROOT, file),
);
const LITERAL =
  /(?<=[=(:,!&|?[]\s{0,9}|return\s)\/((?:[^/\\\n[*]|\\.|\[(?:[^\]\\\n]|\\.)*\])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([dgimsuvy]*)/g;
/** Each once, with the files that have it. */
const patterns = new Map<string, { pattern: RegExp; files: string[] }>();
for (const file of sources)
  for (const [, source = "", flags = ""] of readFileSync(file, "utf8").matchAll(LITERAL)) {
    const known = patterns.get(`/${source}/${flags}`) ?? { pattern: new RegExp(source, flags), files: [] };
    known.files.push(relative(ROOT, file));
    patterns.set(`/${source}/${flags}`, known);
  }

const LENGTH = 60_000;
const PUMPS = [
  "a",
  "0",
  "A1",
  " ",
  "\n",
  "/",
  ".",
  "-",
  "_",
  ":",
  "#",
  "~",
  "%",
  '"',
  "\\",
  "'",
  "<",
  "(",
  "[",
  "@",
  "é",
  "0.",
  ". ",
  "a ",
  "/a",
  '\\"',
  ",a",
  "\u0001",
  "\ud800",
];
/** CPU time for one text, usually below 20; a quadratic pattern needs many seconds. */
const MAX_MS = 700;

function workOn(pattern: RegExp, text: string): number {
  const cpu = cpuMeter();
  // It looks for all of them if the pattern is global, else for the first.
  text.replace(pattern, "");
  return cpu();
}

describe("regular expressions applied to strangers' texts", () => {
  it("are found in the source", () => expect(patterns.size).toBeGreaterThan(100));

  it.each([...patterns])("never take quadratic time: %s", (_, { pattern, files }) => {
    const slow = PUMPS.flatMap((pump) =>
      ["", "x", "\u0001"].flatMap((end) => {
        const text = pump.repeat(LENGTH / pump.length) + end;
        return workOn(pattern, text) > MAX_MS ? [`${JSON.stringify(pump)} … ${JSON.stringify(end)}`] : [];
      }),
    );
    expect(slow, files.join(", ")).toEqual([]);
  });
});
