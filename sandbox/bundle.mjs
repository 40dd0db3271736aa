// Bundles the sandbox into its entry points, packages included: half the start is spent on opening files. `tsc` emits the
// types beside them.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL(".", import.meta.url));
const source = join(root, "src");
/** Found at run time. */
const emulators = readdirSync(source)
  .map((kind) => join(source, kind, "emulator.ts"))
  .filter((file) => existsSync(file));
// Emulators import the sources of gangway-messenger, whose build may be under way.
const options = {
  bundle: true,
  conditions: ["source"],
  outbase: source,
  outdir: join(root, "dist"),
  logLevel: "warning",
};

await build({
  ...options,
  entryPoints: [join(source, "main.ts"), join(source, "index.ts"), ...emulators],
  // Beside the entry points: files are found from there.
  chunkNames: "[name]-[hash]",
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node22",
  sourcemap: true,
  sourcesContent: false,
  // CommonJS packages call `require`.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
});
// Scripts of pages.
await build({
  ...options,
  entryPoints: [join(source, "browser/inbox.ts"), join(source, "phone/browser/phone.ts")],
  minify: true,
  format: "iife",
  target: "es2020",
});
