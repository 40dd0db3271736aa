// Bundles what runs in the shop's page: the loader, the chat that it loads, and the settings form's preview.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SCRIPTS = {
  "widget.js": { entry: "loader/loader.ts" },
  "chat.js": { entry: "widget.ts", globalName: "GangwayChat" },
  "design.js": { entry: "design.ts" },
};

const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** Writes them to `dist/`, or gives their bytes by name. */
export async function bundle(write) {
  const made = Object.entries(SCRIPTS).map(async ([name, { entry, globalName }]) => {
    const shape = { bundle: true, minify: true, format: "iife", target: "es2020", logLevel: "warning", globalName };
    const { outputFiles } = await build({
      ...{ entryPoints: [at(`src/browser/${entry}`)], outfile: at(`dist/${name}`), ...shape, write },
    });
    return [name, outputFiles?.[0]?.contents];
  });
  return Object.fromEntries(await Promise.all(made));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(true);
