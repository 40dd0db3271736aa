import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { bundle } from "../../bundle.mjs";

const DOCS = new URL("../../../../docs/messengers.md", import.meta.url);
const KIB = 1024;

it("the loader has at most 12 KiB and all of the widget 45, compressed, as the documents say", async () => {
  const scripts = await bundle(false);
  const sizeOf = (name: string) => gzipSync(scripts[name] ?? new Uint8Array(), { level: 9 }).length / KIB;
  const [loader, all] = [sizeOf("widget.js"), sizeOf("widget.js") + sizeOf("chat.js")];
  expect(loader).toBeLessThanOrEqual(12);
  expect(all).toBeLessThanOrEqual(45);
  const [, ofLoader, ofAll] =
    /(\d+) KiB before somebody opens the chat, (\d+) KiB with it/.exec(readFileSync(DOCS, "utf8")) ?? [];
  expect([ofLoader, ofAll]).toEqual([loader, all].map((size) => String(Math.round(size))));
});

it("the README compares 27 features, of which the widget lacks two at most", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const rows = [...readme.matchAll(/^\| (\d+) \| .+? \| (yes|no) \|/gm)];
  expect(rows.map(([, number]) => Number(number))).toEqual(Array.from({ length: 27 }, (_, n) => n + 1));
  const lacking = rows.filter(([, , ours]) => ours === "no").map(([, number]) => number);
  expect(lacking.length).toBeLessThanOrEqual(2);
  for (const number of lacking) expect(readme).toMatch(new RegExp(`Row ${number}: \\w`));
});
