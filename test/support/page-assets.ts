import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import type { BrowserContext, Page } from "playwright-core";
import { logo } from "../../src/pages/logo.ts";

const PAGES = join(import.meta.dirname, "../../src/pages");

/** Of the build, which every test run begins with. */
const SPRITE = join(import.meta.dirname, "../../dist/icons.svg");

const made = new Map<string, string>();

/** As in the build, which a site from the sources does not have. */
function bundled(name: string): string {
  const known = made.get(name);
  if (known !== undefined) return known;
  const { outputFiles } = buildSync({ entryPoints: [join(PAGES, name)], bundle: true, format: "iife", write: false });
  const text = outputFiles[0]?.text ?? "";
  made.set(name, text);
  return text;
}

/** Serves the pages' style and script. */
export async function addPageAssets(to: Page | BrowserContext): Promise<void> {
  const assets: [string, string, string][] = [
    ["**/style.css", "text/css", bundled("style.css")],
    ["**/forms.js", "text/javascript", bundled("browser/forms.ts")],
    ["**/logo.svg", "image/svg+xml", logo],
    ["**/icons.svg", "image/svg+xml", readFileSync(SPRITE, "utf8")],
  ];
  for (const [path, contentType, body] of assets) await to.route(path, (route) => route.fulfill({ contentType, body }));
}
