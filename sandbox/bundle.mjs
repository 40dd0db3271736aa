// Bundles the sandbox into its entry points, packages included: half the start is spent on opening files. `tsc` emits the
// types beside them.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeNotices } from "../tools/notices.mjs";

const root = fileURLToPath(new URL(".", import.meta.url));
const source = join(root, "src");
const messengers = join(root, "../messengers");
/** Found at run time. */
const emulators = readdirSync(messengers)
  .map((kind) => ({ in: join(messengers, kind, "emulator/emulator.ts"), out: `${kind}/emulator` }))
  .filter((entry) => existsSync(entry.in));
/** What plays the people of a demo, for tests and tools. */
const demo = readdirSync(join(source, "demo")).map((file) => `demo/${file.slice(0, -".ts".length)}`);
// The messengers' packages are bundled from their sources: their build may be under way.
const options = {
  bundle: true,
  conditions: ["source"],
  outdir: join(root, "dist"),
  logLevel: "warning",
  metafile: true,
};

const program = await build({
  ...options,
  entryPoints: [...["main", "index", ...demo].map((out) => ({ in: join(source, `${out}.ts`), out })), ...emulators],
  // Beside the entry points: files are found from there.
  chunkNames: "[name]-[hash]",
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node22",
  sourcemap: true,
  sourcesContent: false,
  // CommonJS packages call `require`.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
});
// Scripts and styles of pages.
const pages = await build({
  ...options,
  entryPoints: [
    { in: join(root, "../packages/ui/src/tokens.css"), out: "browser/tokens" },
    { in: join(source, "browser/ui.css"), out: "browser/ui" },
    { in: join(source, "browser/inbox.ts"), out: "browser/inbox" },
    { in: join(messengers, "telegram/emulator/phone/browser/phone.ts"), out: "browser/phone" },
  ],
  minify: true,
  format: "iife",
  target: "es2020",
});
execFileSync(process.execPath, [join(root, "../packages/ui/sprite.mjs"), join(root, "dist/browser/icons.svg")]);
writeNotices(join(root, "dist"), {
  metafiles: [program.metafile, pages.metafile],
  also: ["@iconify-json/lucide", "modern-normalize"],
});
