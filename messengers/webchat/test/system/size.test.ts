import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = new URL("../../../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

it("the widget is as large as the README says, and not larger", async () => {
  const entry = fileURLToPath(new URL("messengers/webchat/src/browser/widget.ts", root));
  const [, flags = ""] = /esbuild \S+widget\.ts (.*?) --outfile/.exec(read("package.json")) ?? [];
  expect(flags).toBe("--bundle --minify --format=iife --target=es2020 --log-level=warning");
  const shape = { bundle: true, minify: true, format: "iife", target: "es2020", write: false } as const;
  const { outputFiles } = await build({ entryPoints: [entry], ...shape });
  const kib = gzipSync(outputFiles[0]?.contents ?? new Uint8Array()).length / 1024;
  expect(/about \d+ KiB \(brotli\) or (\d+) KiB \(gzip\)/.exec(read("README.md"))?.[1]).toBe(String(Math.round(kib)));
});
