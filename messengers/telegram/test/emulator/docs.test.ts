import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REFUSED_METHODS, SERVED_METHODS } from "../../emulator/catalogue.ts";

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8");
const document = read("docs/sandbox.md");

/** The count in a heading and the names below it, up to the next empty line. */
function listed(heading: string): { count: number; names: string[] } {
  const [, count = "", names = ""] =
    new RegExp(`\\*\\*${heading}\\*\\* \\((\\d+)\\)[^\\n]*\\n((?:.+\\n)+)`).exec(document) ?? [];
  return { count: Number(count), names: [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name) };
}

describe("docs/sandbox.md", () => {
  it.each([
    ["Served", SERVED_METHODS],
    ["Refused by name", REFUSED_METHODS],
  ])("lists the methods of the Bot API: %s", (heading, methods) => {
    expect(listed(heading)).toEqual({ count: methods.length, names: methods });
  });

  it("states the Bot API version of the third-party types", () => {
    const [, version = ""] = /Bot API (\d+\.\d+) for modules/.exec(document) ?? [];
    expect(read("node_modules/node-telegram-bot-api/README.md")).toContain(`Bot%20API-v.${version}-`);
  });

  it("names existing calls of the phone", () => {
    const wire = read("messengers/telegram/emulator/phone-wire.ts");
    const people = document.slice(document.indexOf("### People"), document.indexOf("What neither people nor bots do"));
    const fields = [...people.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    expect(fields.length).toBeGreaterThan(15);
    for (const field of fields) if (field !== "DELETE") expect(wire, field).toMatch(new RegExp(`\\b${field}\\??\\b`));
  });
});
