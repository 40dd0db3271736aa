// npm run new-messenger -- <kind>: begins a messenger from the template beside this file.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const TEMPLATE = fileURLToPath(new URL("template", import.meta.url));
/** Of the template: runs the contract kit on it. All else is the messenger's folder. */
const CONTRACT = "contract.ts";

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const [kind = "", root = fileURLToPath(new URL("../..", import.meta.url))] = process.argv.slice(2);
if (!/^[a-z][a-z0-9]{1,31}$/.test(kind))
  fail("Usage: npm run new-messenger -- <kind>\nThe kind is one word of small letters and digits, such as pager.");
const folder = join(root, "src", "channels", kind);
if (existsSync(folder)) fail(`src/channels/${kind} is there already.`);

/** The template's own name, in the three ways it is written. */
const named = (text) =>
  text
    .replaceAll("acme", kind)
    .replaceAll("Acme", kind.charAt(0).toUpperCase() + kind.slice(1))
    .replaceAll("ACME", kind.toUpperCase());

/** Imports as they are from where the file will stand. */
const fromFolder = (text) => text.replaceAll('"../../../src/channels/', '"../').replaceAll('"../../../src/', '"../../');
const fromContract = (text) =>
  text
    .replaceAll('"../../../test/contract/', '"./')
    .replaceAll('"./index.ts"', `"../../src/channels/${kind}/index.ts"`);

/** Packages first, then what is farthest away, as the linter wants them. */
function sorted(text) {
  const isImport = (line) => line.startsWith("import ");
  const lines = text.split("\n");
  const source = (line) => /from "(.*)"/.exec(line)[1].replace(/^(?!\.)/, " ");
  const imports = lines.filter(isImport).sort((a, b) => (source(a) < source(b) ? -1 : 1));
  return [...imports, ...lines.filter((line) => !isImport(line))].join("\n");
}

function write(file, text) {
  writeFileSync(join(root, file), sorted(text));
  process.stdout.write(`  ${file}\n`);
}

const registered = (text) =>
  `import { ${kind} } from "./${kind}/index.ts";\n${text}`.replace(/(adapters: \w+\[\] = \[[^\]]*)\]/, `$1, ${kind}]`);

process.stdout.write("Written:\n");
mkdirSync(folder);
for (const name of readdirSync(TEMPLATE)) {
  const text = named(readFileSync(join(TEMPLATE, name), "utf8"));
  if (name === CONTRACT) write(`test/contract/${kind}.test.ts`, fromContract(text));
  else write(`src/channels/${kind}/${name}`, fromFolder(text));
}
const registry = "src/channels/registry.ts";
write(registry, registered(readFileSync(join(root, registry), "utf8")));
process.stdout.write(`
It builds. What is yours to write says so: grep -rn "write me" src/channels/${kind} test/contract/${kind}.test.ts
Then: npx vitest run test/contract/${kind}. docs/messengers.md tells what each part is.
`);
