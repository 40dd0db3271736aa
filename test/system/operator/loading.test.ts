import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const FOLDER = join(import.meta.dirname, "../../../dist/operator");

/** What a built file imports at its start, its chunks' imports included. */
function loaded(file: string, seen = new Set<string>()): Set<string> {
  for (const [, name = ""] of readFileSync(join(FOLDER, file), "utf8").matchAll(
    /^(?:import|\} from) ?.*?"([^"]+)";$/gm,
  )) {
    if (seen.has(name)) continue;
    seen.add(name);
    if (name.startsWith("./")) loaded(name, seen);
  }
  return seen;
}

it("the help of the commands loads neither the database nor the settings", () => {
  const names = [...loaded("main.js")];
  expect(names).toContain("node:util");
  expect(names.filter((name) => name === "better-sqlite3" || /(context|outgoing)-\w+\.js$/.test(name))).toEqual([]);
});

it("a command that opens the store loads no messenger", () => {
  const named = (name: string) => readdirSync(FOLDER).filter((file) => new RegExp(`^${name}-\\w+\\.js$`).test(file));
  const files = named("context").flatMap((file) => [file, ...loaded(file)]);
  expect(files.length).toBeGreaterThan(4);
  const texts = files.filter((file) => file.endsWith(".js")).map((file) => readFileSync(join(FOLDER, file), "utf8"));
  expect(texts.join("\n")).not.toMatch(/^\/\/ \S*messengers\/(telegram|webchat)\//m);
  expect(named("messengers").length).toBeGreaterThan(0);
});
