import { join } from "node:path";
import { command, FLAG, runToEnd, TEXT } from "gangway-sandbox";
import { ROOT } from "../root.ts";
import {
  castsIn,
  commentLinesOf,
  cyclesOf,
  exportsOf,
  importsWithin,
  linesOf,
  type Source,
  sourcesIn,
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
  const product = all.filter((source) => !isSandbox(source));
  const sandbox = [...all.filter(isSandbox), ...sourcesIn(root, "sandbox/src")];
  const tools = sourcesIn(root, "tools");
  for (const [name, sources] of Object.entries({ product, sandbox, tools }))
    row(`${name}: files, lines`, `${sources.length}, ${sum(sources, linesOf)}`);
  row("import cycles", cyclesOf([...product, ...sandbox, ...tools]).length);
  for (const folder of ["src/relay", "src/store"]) {
    const { files, folders } = importsWithin(product, folder);
    const own = product.filter(({ path }) => path.startsWith(`${folder}/`));
    row(`${folder}: files; imports between files; folders`, `${own.length}; ${files}; ${folders}`);
    row(`${folder}: exported names`, sum(own, exportsOf));
  }
  row("product: casts", sum(product, castsIn));
  const [comments, lines] = [sum(product, commentLinesOf), sum(product, linesOf)];
  row("product: comment lines", `${comments} (${Math.round((100 * comments) / lines)} %)`);
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
