import { globSync } from "node:fs";
import { join } from "node:path";
import { command, FLAG, runToEnd, TEXT } from "gangway-sandbox";
import { ROOT } from "../root.ts";
import {
  castsIn,
  commentLinesOf,
  cyclesOf,
  exportsIn,
  linesOf,
  type Source,
  sourcesIn,
  statementsOf,
  withImported,
} from "./sources.ts";
import { walk } from "./walk.ts";

const HELP = `npm run measure -- [options]          the size of the sources, and the code that one message runs
  --root <folder>       measure another checkout's sources
  --main <main.js>      run another build's server
  --list                list the functions that one message runs, each way
`;

const print = (line: string) => process.stdout.write(`${line}\n`);
const row = (what: string, figure: string | number) => print(`${what.padEnd(56)}${figure}`);
const sum = (sources: Source[], count: (source: Source) => number) =>
  sources.reduce((all, each) => all + count(each), 0);

function measureSources(root: string): void {
  // Older checkouts have the sandbox in src.
  const isSandbox = ({ path }: Source) => path.startsWith("src/sandbox/");
  const all = sourcesIn(root, "src");
  const packages = globSync("{packages,messengers}/*/src", { cwd: root }).flatMap((folder) => sourcesIn(root, folder));
  const product = [...all.filter((source) => !isSandbox(source)), ...packages];
  const sandbox = [...all.filter(isSandbox), ...sourcesIn(root, "sandbox/src")];
  const tools = sourcesIn(root, "tools");
  for (const [name, sources] of Object.entries({ product, sandbox, tools }))
    row(`${name}: files, lines`, `${sources.length}, ${sum(sources, linesOf)}`);
  row("import cycles", cyclesOf([...product, ...sandbox, ...tools]).length);
  const inHeart = (path: string) => /^src\/(relay|store|ops)\//.test(path);
  const isNoun = (path: string) => path.startsWith("src/domain/");
  const own = product.filter(({ path }) => inHeart(path));
  measureRooms("relay, store, ops", own);
  measureRooms("with all that they import but nouns and port", withImported(product, inHeart, isNoun));
  const { all: names, withOneImporter } = exportsIn(product);
  const lines = product.map(linesOf).sort((a, b) => a - b);
  row("product: lines of a file, median", lines[Math.floor(lines.length / 2)] ?? 0);
  row("product: exports; with one importer", `${names}; ${withOneImporter}`);
  row("product: casts", sum(product, castsIn));
  const comments = sum(product, commentLinesOf);
  row("product: comment lines", `${comments} (${Math.round((100 * comments) / sum(product, linesOf))} %)`);
}

function measureRooms(what: string, sources: Source[]): void {
  const figures = [sum(sources, linesOf), sum(sources, statementsOf), sources.length, exportsIn(sources).all];
  row(`${what}:`, `${figures.join(", ")}  (lines, statements, files, exports)`);
}

const run = command(HELP, { root: TEXT, main: TEXT, list: FLAG }, async ({ root = ROOT, main, list }) => {
  measureSources(root);
  const walks = await walk(main ?? join(root, "dist", "modules", "main.js"));
  for (const [way, ran] of Object.entries(walks)) {
    const files = new Set(ran.map((each: string) => each.split(" ")[0]));
    row(`one plain ${way} message: files, functions`, `${files.size}, ${ran.length}`);
    if (list) for (const each of [...ran].sort()) print(`  ${each}`);
  }
  return 0;
});

runToEnd("measure", () => run(process.argv.slice(2)));
