// What is bundled keeps its licence: writes beside the bundle the licence of each package, and a list of the packages (CycloneDX).
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LICENCES = join(ROOT, "tools", "licences");
const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const LICENCE = /^(licen[cs]e|copying)(\.|-|$)/i;

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const inModules = (name) => join(ROOT, "node_modules", name);

/**
 * Writes NOTICES.txt and sbom.cdx.json to `folder`, of the package whose dist it is. `metafiles` are esbuild's, of builds in the
 * current folder; `also` names packages whose pictures or styles are taken along otherwise, `beside` those that are installed with it.
 */
export function writeNotices(folder, { metafiles, also = [], beside = [] }) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const used = inputs.flatMap((path) => PACKAGE.exec(resolve(path.replace(/^[a-z-]+:/, "")))?.[1] ?? []);
  const folders = new Set([...used, ...also.map(inModules)]);
  const notices = new Set([...folders].map(noticeOf).sort());
  const head = "This software contains the packages below, each under its own licence.";
  writeFileSync(join(folder, "NOTICES.txt"), `${[head, ...notices].join(`\n\n${"-".repeat(80)}\n`)}\n`);
  const list = listOf(manifestIn(join(folder, "..")), [...folders, ...beside.map(inModules)]);
  writeFileSync(join(folder, "sbom.cdx.json"), `${JSON.stringify(list, undefined, 1)}\n`);
}

function noticeOf(folder) {
  const { name, version, license } = manifestIn(folder);
  const files = readdirSync(folder);
  const texts = files.filter((each) => LICENCE.test(each)).map((each) => textOf(folder, each));
  const text = texts.join("\n\n") || inReadme(textOf(folder, "README.md")) || fromItsRepository(name);
  return `${name} ${version} (${license})\n\n${text || "The package has no text of its licence."}`;
}

const textOf = (folder, file) => readFileSync(join(folder, file), "utf8").trim();
const inReadme = (text) => /^#+ licen[cs]e\n+([\s\S]*without restriction[\s\S]*)$/im.exec(text)?.[1];
/** Of packages that bring none: tools/licences/ has what their repositories say. */
function fromItsRepository(name) {
  const file = `${name.split("/").at(-1)}.txt`;
  return existsSync(join(LICENCES, file)) && textOf(LICENCES, file);
}

/** CycloneDX 1.5. It has no time and no number of its own: equal builds have equal lists. */
function listOf(product, folders) {
  const { packages: locked } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const components = folders.map((folder) => ({
    ...componentOf("library", manifestIn(folder)),
    hashes: hashesOf(locked[relative(ROOT, folder)]),
  }));
  const byRef = new Map(components.map((each) => [each["bom-ref"], each]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: { component: componentOf("application", product) },
    components: [...byRef.values()].sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1)),
  };
}

function componentOf(type, { name, version, license }) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const licence = /\s/.test(license) ? { expression: license } : { license: { id: license } };
  return { type, "bom-ref": purl, name, version, purl, licenses: [licence] };
}

const hashesOf = ({ integrity }) => {
  const [, content] = /^sha512-(.+)$/.exec(integrity);
  return [{ alg: "SHA-512", content: Buffer.from(content, "base64").toString("hex") }];
};
