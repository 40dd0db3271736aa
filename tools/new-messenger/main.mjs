// npm run new-messenger -- <kind>: begins a messenger from the template beside this file.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TEMPLATE = fileURLToPath(new URL("template", import.meta.url));

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

const [kind = "", root = fileURLToPath(new URL("../..", import.meta.url))] = process.argv.slice(2);
if (!/^[a-z][a-z0-9]{1,31}$/.test(kind))
  fail("Usage: npm run new-messenger -- <kind>\nThe kind is one word of small letters and digits, such as pager.");

/** Where each file of the template goes; the adapter's folder takes the rest. */
const TARGETS = {
  "contract.ts": `test/system/contract/${kind}.test.ts`,
  "samples.ts": `test/system/contract/${kind}/samples.ts`,
  "emulator.ts": `sandbox/src/${kind}/emulator.ts`,
};
const targetOf = (name) => TARGETS[name] ?? `src/channels/${kind}/${name}`;

for (const path of [`src/channels/${kind}`, `sandbox/src/${kind}`, ...Object.values(TARGETS)])
  if (existsSync(join(root, path))) fail(`${path} already exists.`);

/** The template's own name, in the three ways it is written. */
const named = (text) =>
  text
    .replaceAll("acme", kind)
    .replaceAll("Acme", kind.charAt(0).toUpperCase() + kind.slice(1))
    .replaceAll("ACME", kind.toUpperCase());

/** Paths as they are from where the file goes: the template's own lead to the checkout's top or to a neighbour. */
const placed = (text, file) =>
  text.replaceAll(/"(\.\.?\/[^"]*\.tsx?)"/g, (_, to) => {
    const target = to.startsWith("./") ? targetOf(to.slice("./".length)) : to.slice("../../../".length);
    return `"${relative(file, target)}"`;
  });

/** From one file to another, as an import writes it. */
function relative(from, to) {
  const [base, path] = [dirname(from).split("/"), to.split("/")];
  while (base.length > 0 && base[0] === path[0]) {
    base.shift();
    path.shift();
  }
  return `${"../".repeat(base.length) || "./"}${path.join("/")}`;
}

/** Packages first, then what is farthest away, as the linter wants them. */
function sorted(text) {
  const isImport = (line) => line.startsWith("import ");
  const lines = text.split("\n");
  const source = (line) => /from "(.*)"/.exec(line)[1].replace(/^(?!\.)/, " ");
  const imports = lines.filter(isImport).sort((a, b) => (source(a) < source(b) ? -1 : 1));
  return [...imports, ...lines.filter((line) => !isImport(line))].join("\n");
}

function write(file, text) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), sorted(text));
  process.stdout.write(`  ${file}\n`);
}

const registered = (text) =>
  `import { ${kind} } from "./${kind}/index.ts";\n${text}`.replace(/(adapters: \w+\[\] = \[[^\]]*)\]/, `$1, ${kind}]`);

process.stdout.write("Written:\n");
for (const name of readdirSync(TEMPLATE)) {
  const file = targetOf(name);
  write(file, placed(named(readFileSync(join(TEMPLATE, name), "utf8")), file));
}
const registry = "src/channels/registry.ts";
write(registry, registered(readFileSync(join(root, registry), "utf8")));
process.stdout.write(`
It compiles. Your to-do list: grep -rn "write me" src/channels/${kind} sandbox/src/${kind} test/system/contract/${kind}*
Then: npx vitest run test/system/contract/${kind}, and npm run prove -- ${kind}. docs/messengers.md explains each step.
`);
