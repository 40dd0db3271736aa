// npm run new-messenger -- <kind> [--out <folder>]: begins a messenger from the template beside this file, as a package of
// its own in <folder>, or as one of this checkout's.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pack } from "../pack.mjs";
import { manifestInside, manifestOutside } from "./manifest.mjs";

const TEMPLATE = fileURLToPath(new URL("template", import.meta.url));
/** What only a package of its own has. */
const OUTSIDE = fileURLToPath(new URL("outside", import.meta.url));
const USAGE = `Usage: npm run new-messenger -- <kind> [--out <folder>]
The kind is one word of small letters and digits, such as pager.`;

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const { values, positionals } = parsed();
const [kind = "", root = fileURLToPath(new URL("../..", import.meta.url))] = positionals;
if (!/^[a-z][a-z0-9]{1,31}$/.test(kind)) fail(USAGE);
const { out } = values;
const folder = out === undefined ? join(root, "messengers", kind) : resolve(out);
const shown = out ?? `messengers/${kind}`;
if (existsSync(folder)) fail(`${shown} already exists.`);
if (existsSync(join(root, "messengers", kind))) fail(`Gangway has a messenger ${kind}: choose another kind.`);

function parsed() {
  try {
    return parseArgs({ options: { out: { type: "string" } }, allowPositionals: true });
  } catch {
    return fail(USAGE);
  }
}

/** The template's own name, in the three ways it is written. */
const named = (text) =>
  text
    .replaceAll("acme", kind)
    .replaceAll("Acme", kind.charAt(0).toUpperCase() + kind.slice(1))
    .replaceAll("ACME", kind.toUpperCase());

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`  ${relative(process.cwd(), file)}\n`);
}

function writeAll(template) {
  for (const entry of readdirSync(template, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const from = join(entry.parentPath, entry.name);
      // npm would leave out a .gitignore, and CI would run the template's own.
      const to = relative(template, from).replace(/^dot-/, ".");
      write(join(folder, to), named(readFileSync(from, "utf8")));
    }
}

const asJson = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** The checkout's list of messengers, and its dependencies, as `npm install gangway-<kind>` would write them. */
function register() {
  const list = join(root, "src", "messengers.ts");
  const json = `import ${kind}Package from "gangway-${kind}/package.json" with { type: "json" };`;
  const lines = [`import ${kind} from "gangway-${kind}";`, json, ...readFileSync(list, "utf8").split("\n")];
  const isImport = (line) => line.startsWith("import ");
  const source = (line) => /from "([^"]*)"/.exec(line)[1].replace(/^(?!\.)/, " ");
  const imports = lines.filter(isImport).sort((a, b) => (source(a) < source(b) ? -1 : 1));
  const text = [...imports, ...lines.filter((line) => !isImport(line))].join("\n");
  write(list, text.replace("];\nexport const adapters", `  [${kind}, ${kind}Package],\n$&`));
  const manifest = join(root, "package.json");
  const { devDependencies, ...rest } = JSON.parse(readFileSync(manifest, "utf8"));
  const all = Object.entries({ ...devDependencies, [`gangway-${kind}`]: "0.1.0" });
  write(manifest, asJson({ ...rest, devDependencies: Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1))) }));
  mkdirSync(join(root, "node_modules"), { recursive: true });
  symlinkSync(`../messengers/${kind}`, join(root, "node_modules", `gangway-${kind}`));
}

const tarballs = out === undefined ? {} : pack(join(folder, "vendor"));
process.stdout.write("Written:\n");
writeAll(TEMPLATE);
if (out === undefined) {
  write(join(folder, "package.json"), asJson(manifestInside(root, kind)));
  cpSync(join(root, "messengers", "telegram", "tsconfig.build.json"), join(folder, "tsconfig.build.json"));
  register();
  process.stdout.write(`
It compiles. Your to-do list: grep -rn "write me" ${shown}
Then: npx vitest run ${shown}, and npm run prove -- ${kind}. packages/messenger/README.md explains each step.
Before you commit: npm install, which adds the package to package-lock.json.
`);
} else {
  writeAll(OUTSIDE);
  write(join(folder, "package.json"), asJson(manifestOutside(root, kind, tarballs)));
  process.stdout.write(`  ${relative(process.cwd(), join(folder, "vendor"))}: ${Object.values(tarballs).join(", ")}

Next: cd ${shown} && npm install && npm test
Your to-do list: grep -rn "write me" src emulator samples test README.md
`);
}
