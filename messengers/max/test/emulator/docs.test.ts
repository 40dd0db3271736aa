import { readFileSync } from "node:fs";
import { createSwitches } from "gangway-messenger/kit/emulator/switches";
import { expect, it } from "vitest";
import { maxSwitches } from "../../emulator/switches.ts";

const document = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
const chapter = document.slice(document.indexOf("## An emulated MAX"), document.indexOf("## What is served"));

it("docs/sandbox.md names each setting of the emulated MAX", () => {
  const named = [...chapter.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(Object.keys(createSwitches(maxSwitches).values()).filter((name) => !named.includes(name))).toEqual([]);
});
