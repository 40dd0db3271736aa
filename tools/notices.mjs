// What is bundled keeps its licence: writes the licence of each package beside the bundle.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PACKAGE = /^(.*?node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE = /^(licen[cs]e|copying)(\.|-|$)/i;

/** `metafiles` are esbuild's, of builds in the current folder; `also` names packages whose pictures or styles are taken along otherwise. */
export function writeNotices(file, { metafiles, also = [] }) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const used = inputs.flatMap((path) => PACKAGE.exec(resolve(path.replace(/^[a-z-]+:/, "")))?.[1] ?? []);
  const folders = new Set([...used, ...also.map((name) => join(ROOT, "node_modules", name))]);
  const notices = new Set([...folders].map(noticeOf).sort());
  const head = "This software contains the packages below, each under its own licence.";
  writeFileSync(file, `${[head, ...notices].join(`\n\n${"-".repeat(80)}\n`)}\n`);
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder).filter((each) => LICENCE.test(each));
  const text = texts.map((each) => readFileSync(join(folder, each), "utf8").trim()).join("\n\n");
  return `${name} ${version} (${license})\n\n${text || "The package has no text of its licence."}`;
}
