import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listedFor, REFUSED_METHODS, SERVED_METHODS } from "../../emulator/catalogue.ts";

const root = join(import.meta.dirname, "..", "..", "..", "..");
const text = (...path: string[]) => readFileSync(join(root, "node_modules", ...path), "utf8");

// Third-party types generated from Telegram's Bot API page.
const GRAMMY = text("@grammyjs", "types", "methods.d.ts");
const GENERATED = text("node-telegram-bot-api", "dist", "types", "schemas.d.ts");

const published = [...GRAMMY.slice(GRAMMY.indexOf("type ApiMethods")).matchAll(/^ {4}(\w+)\(/gm)].map(
  ([, name = ""]) => name,
);
const OLDER = ["reply_to_message_id", "allow_sending_without_reply", "disable_web_page_preview", "thumb"];

/** A method's published parameters, sorted. */
function parametersOf(method: string): { names: string[]; required: string[] } {
  const type = `${method.charAt(0).toUpperCase()}${method.slice(1)}Params`;
  const [, body = ""] = new RegExp(`export type ${type} = \\{([^]*?)\\n\\}`).exec(GENERATED) ?? [];
  const fields = [...body.matchAll(/^ {4}(\w+)(\??):/gm)];
  return {
    names: fields.map(([, name = ""]) => name).sort(),
    required: fields.flatMap(([, name = "", mark]) => (mark ? [] : name)).sort(),
  };
}

describe("the catalogue of the Bot API", () => {
  it("has every published method, served or refused by name", () => {
    expect(published.length).toBeGreaterThan(180);
    expect([...SERVED_METHODS, ...REFUSED_METHODS].sort()).toEqual([...published].sort());
  });

  it.each(SERVED_METHODS)("lists the published parameters of %s", (method) => {
    const { names, required } = listedFor(method);
    expect({
      names: [...names].filter((name) => !OLDER.includes(name)).sort(),
      required: [...required].sort(),
    }).toEqual(parametersOf(method));
  });
});
