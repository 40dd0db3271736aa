import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { whatsappSwitches } from "../../emulator/network.ts";
import { opened } from "./stage.ts";

const document = readFileSync(new URL("../../../../docs/sandbox.md", import.meta.url), "utf8");
const chapter = document.slice(document.indexOf("## An emulated WhatsApp"), document.indexOf("## What is served"));

it("docs/sandbox.md names each setting of the emulated WhatsApp", () => {
  const rows = chapter.split("\n").flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  const named = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(Object.keys(whatsappSwitches.shape).filter((name) => !named.includes(name))).toEqual([]);
});

it.each(["signature", "duplicates", "perSecond"])(
  "the setting %s can be changed, and refuses nonsense",
  async (name) => {
    const { control } = await opened();
    await expect(control("PUT", "settings", { [name]: "nonsense" })).rejects.toThrow(name);
    await expect(control("PUT", "settings", { mood: 1 })).rejects.toThrow("mood");
    expect(await control("GET", "settings")).toMatchObject({ pairMs: 6_000 });
  },
);
