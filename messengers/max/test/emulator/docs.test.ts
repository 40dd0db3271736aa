import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createSwitches } from "../../emulator/switches.ts";

const document = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
const chapter = document.slice(document.indexOf("## An emulated MAX"), document.indexOf("## What is served"));

it("docs/sandbox.md names each setting of the emulated MAX", () => {
  const named = [...chapter.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(Object.keys(createSwitches().values()).filter((name) => !named.includes(name))).toEqual([]);
});
