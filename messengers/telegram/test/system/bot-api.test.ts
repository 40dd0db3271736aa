import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_CONTENT } from "../../src/reading/content.ts";
import { IGNORED } from "../../src/reading/update.ts";
import { ALLOWED_UPDATES } from "../../src/wire.ts";

const root = join(import.meta.dirname, "../../../..");
const types = (file: string) => readFileSync(join(root, "node_modules/@grammyjs/types", file), "utf8");
const source = ["update.ts", "content.ts", "service-messages.ts"]
  .map((file) => readFileSync(join(root, "messengers/telegram/src/reading", file), "utf8"))
  .join("\n");

/** The fields of interfaces of the Bot API's published types, by a pattern of their names. */
function fieldsOf(file: string, name: RegExp): string[] {
  const bodies = types(file).matchAll(/^ *(?:export )?interface (\w+)[^{]*\{\n([\s\S]*?)\n\s{0,4}\}$/gm);
  const own = [...bodies].filter(([, each = ""]) => name.test(each));
  return own.flatMap(([, , body = ""]) => [...body.matchAll(/^ +(\w+)\??:/gm)].map(([, field = ""]) => field));
}

/** Passed on as a line that says that it cannot be shown: it holds what only its receiver's key opens. */
const REFUSED = ["passport_data"];
/** Not requested, so that Telegram never sends them. */
const UNWANTED = [
  "guest_message",
  "stopped_message_generation",
  "inline_query",
  "chosen_inline_result",
  "shipping_query",
  "pre_checkout_query",
  "purchased_paid_media",
  "chat_boost",
  "removed_chat_boost",
  "managed_bot",
  "subscription",
];

describe("what the Bot API's types have", () => {
  const fields = fieldsOf("message.d.ts", /^(ServiceMessage|CommonMessage|CaptionableMessage|MediaMessage|Message)$/);

  it("is found", () => expect(fields).toEqual(expect.arrayContaining(["date", "rich_message", "live_photo", "photo"])));

  it.each([...new Set(fields)])("in a message is read, or is no content: %s", (field) => {
    const read = new RegExp(`\\b${field}\\b`).test(source.replace(/^export const NO_CONTENT[\s\S]*?;$/m, ""));
    expect(read || NO_CONTENT.test(field) || REFUSED.includes(field)).toBe(true);
  });

  it("in an update is requested, ignored, or not wanted", () => {
    const kinds = fieldsOf("update.d.ts", /^Update$/).filter((kind) => kind !== "update_id");
    expect(kinds.length).toBeGreaterThan(20);
    expect([...new Set([...ALLOWED_UPDATES, ...IGNORED, ...UNWANTED])].sort()).toEqual([...new Set(kinds)].sort());
  });
});
