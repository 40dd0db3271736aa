// Bundles the compiled modules of a folder's dist/ into its entry points. Packages go in, too: half the start is spent on
// opening files. Names and text stay readable; the maps lead back to the sources.
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { writeNotices } from "./notices.mjs";

const [root = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2);
const dist = join(root, "dist");
const modules = join(dist, "modules");

/** Undici's index loads fetch, caches and mocks, too: the agents alone halve it. */
const onlyAgents = {
  name: "only-agents",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: "agent" }));
    onLoad({ filter: /.*/, namespace: "agent" }, () => ({
      contents: `export { default as Agent } from "undici/lib/dispatcher/agent.js";
        export { default as ProxyAgent } from "undici/lib/dispatcher/proxy-agent.js";`,
      resolveDir: root,
    }));
  },
};

const options = {
  outdir: dist,
  outbase: modules,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node22",
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
  // A native module, found at run time.
  external: ["better-sqlite3"],
  // CommonJS packages call `require`.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  plugins: [onlyAgents],
};
const bundled = await build({ ...options, entryPoints: [join(modules, "server.js")] });
// One other character, left in a pattern or comment, and V8 keeps the whole text with two bytes a character.
const server = join(dist, "server.js");
const escaped = (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
writeFileSync(server, readFileSync(server, "utf8").replace(/[^\0-\x7f]/g, escaped));
// A command loads only the chunks it needs.
const commands = await build({
  ...options,
  entryPoints: [join(modules, "operator/main.js")],
  splitting: true,
  chunkNames: "operator/[name]-[hash]",
});
// These import nothing that is bundled.
for (const entry of ["cli.js", "main.js", "runtime.js"]) copyFileSync(join(modules, entry), join(dist, entry));
// npm makes it a program only when it links it, not after a build.
chmodSync(join(dist, "cli.js"), 0o755);
copyFileSync(join(modules, "store/care/find-damage.js"), join(dist, "find-damage.js"));
copyFileSync(join(modules, "store/sqlite/database/rewrite-file.js"), join(dist, "rewrite-file.js"));
for (const name of ["widget.js", "chat.js", "design.js"])
  copyFileSync(join(root, "messengers/webchat/dist", name), join(dist, name));
copyFileSync(join(modules, "http/forms.js"), join(dist, "forms.js"));
copyFileSync(join(modules, "pages/style.css"), join(dist, "style.css"));
copyFileSync(join(modules, "http/icons.svg"), join(dist, "icons.svg"));
writeNotices(dist, {
  metafiles: [bundled.metafile, commands.metafile],
  also: ["@iconify-json/lucide", "modern-normalize"],
  beside: options.external,
});
