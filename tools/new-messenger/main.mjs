// npm run new-messenger -- <kind>: begins a messenger from the template beside this file.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
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
const own = `messengers/${kind}`;
const TARGETS = {
  "package.json": `${own}/package.json`,
  "tsconfig.build.json": `${own}/tsconfig.build.json`,
  "contract.ts": `${own}/test/contract.test.ts`,
  "samples.ts": `${own}/samples/samples.ts`,
  "emulator.ts": `${own}/emulator/emulator.ts`,
};
const targetOf = (name) => TARGETS[name] ?? `${own}/src/${name}`;

if (existsSync(join(root, own))) fail(`${own} already exists.`);

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
  writeFileSync(join(root, file), text);
  process.stdout.write(`  ${file}\n`);
}

/** Changes an existing file. */
const edit = (file, change) => write(file, change(readFileSync(join(root, file), "utf8")));

const registered = (text) =>
  sorted(`import ${kind} from "gangway-${kind}";\n${text}`).replace(/(adapters: \w+\[\] = \[[^\]]*)\]/, `$1, ${kind}]`);

/** The root depends on its messengers, as `npm install gangway-<kind>` would write it. */
function depending(text) {
  const manifest = JSON.parse(text);
  const { devDependencies } = manifest;
  const all = { ...devDependencies, [`gangway-${kind}`]: "0.1.0" };
  manifest.devDependencies = Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)));
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

process.stdout.write("Written:\n");
for (const name of readdirSync(TEMPLATE)) {
  const file = targetOf(name);
  const text = named(readFileSync(join(TEMPLATE, name), "utf8"));
  write(file, name.endsWith(".ts") ? sorted(placed(text, file)) : text);
}
edit("src/messengers.ts", registered);
edit("package.json", depending);
mkdirSync(join(root, "node_modules"), { recursive: true });
symlinkSync(`../${own}`, join(root, "node_modules", `gangway-${kind}`));
process.stdout.write(`
It compiles. Your to-do list: grep -rn "write me" ${own}
Then: npx vitest run ${own}, and npm run prove -- ${kind}. docs/messengers.md explains each step.
Before you commit: npm install, which adds the package to package-lock.json.
`);
