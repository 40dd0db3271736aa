import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

export interface Source {
  /** Relative to the checkout. */
  path: string;
  text: string;
  imports: string[];
}

const IMPORT = /^(?:import|export)\s(?:[^;"]*?from\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gms;

/** Specifiers of all `import` and `export … from`, types included. */
export const specifiersIn = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? "");

/** Imported files, resolved against `path`. */
export const filesImported = (path: string, text: string): string[] =>
  specifiersIn(text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(path), specifier)));

/** Sources in a folder, recursively; none if it does not exist. */
export function sourcesIn(root: string, folder: string): Source[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(tsx?|mjs|c)$/.test(file) && !/(^|\/)(dist|node_modules)\//.test(file))
    .map((file) => {
      const path = join(folder, file);
      const text = readFileSync(join(root, path), "utf8");
      return { path, text, imports: [...new Set(filesImported(path, text))] };
    });
}

export const linesOf = ({ text }: Source): number => text.trimEnd().split("\n").length;

/** Of functions, blocks and files: what does, decides or declares something; types and imports do not. */
export function statementsOf({ path, text }: Source): number {
  let count = 0;
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each);
    else if (typeof node === "object" && node !== null) {
      const { type = "", ...children } = node as { type?: string };
      if (type.startsWith("TS") && !/^TS(As|NonNull|Satisfies)/.test(type)) return;
      if (
        /(Statement|FunctionDeclaration|VariableDeclaration|ClassDeclaration)$/.test(type) &&
        type !== "BlockStatement"
      )
        count += 1;
      for (const child of Object.values(children)) visit(child);
    }
  };
  visit(parseSync(path, text).program.body);
  return count;
}

/** Those of `from`, and all that they import, directly or not; what `isLeftOut` is no way on. */
export function withImported(
  sources: Source[],
  from: (path: string) => boolean,
  isLeftOut: (path: string) => boolean,
): Source[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const found = new Set(sources.filter(({ path }) => from(path)));
  for (const { imports } of found)
    for (const target of imports) {
      const source = byPath.get(target);
      if (source && !isLeftOut(target)) found.add(source);
    }
  return [...found];
}

/** The file that an import names, a package's too. */
function fileOf(path: string, specifier: string): string {
  const [, name, file = "index"] = /^gangway-(\w+)(?:\/(.*))?$/.exec(specifier) ?? [];
  if (!name) return normalize(join(dirname(path), specifier));
  return `${name === "messenger" ? "packages" : "messengers"}/${name}/src/${file}.ts`;
}

const EXPORT =
  /^export (?:default |declare |abstract |async )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/gm;
const NAMES = /^(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"([^"]+)"/gms;

/** Exported names, and how many of them one other source imports by name. */
export function exportsIn(sources: Source[]): { all: number; withOneImporter: number } {
  const importers = new Map<string, number>();
  for (const { path, text } of sources)
    for (const [, names = "", from = ""] of text.matchAll(NAMES))
      for (const each of names.split(",")) {
        const name = each
          .trim()
          .replace(/^type /, "")
          .split(" as ")[0];
        const key = `${fileOf(path, from)} ${name}`;
        importers.set(key, (importers.get(key) ?? 0) + 1);
      }
  const keys = sources.flatMap(({ path, text }) => [...text.matchAll(EXPORT)].map(([, name]) => `${path} ${name}`));
  return { all: keys.length, withOneImporter: keys.filter((key) => importers.get(key) === 1).length };
}

/** Counts lines with `as` and a type; `as const` is no cast. */
export const castsIn = ({ text }: Source): number =>
  text.split("\n").filter((line) => !isComment(line) && /\S as (?!const\b)[\w{[("'(]/.test(line) && !isRenaming(line))
    .length;
const isRenaming = (line: string) => /^\s*(import|export)\b|^\s*(type )?\w+ as \w+,?$/.test(line);

export const commentLinesOf = ({ text }: Source): number => text.split("\n").filter(isComment).length;
const isComment = (line: string) => /^\s*(\/\/|\/\*|\*)/.test(line);

/** Import cycles, direct or indirect: each group of files once. */
export function cyclesOf(sources: Pick<Source, "path" | "imports">[]): string[][] {
  const to = new Map(sources.map(({ path, imports }) => [path, imports]));
  const reaches = (from: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...(to.get(from) ?? [])];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      open.push(...(to.get(file) ?? []));
    }
    return seen;
  };
  const reached = new Map(sources.map(({ path }) => [path, reaches(path)]));
  const inOneCycle = (a: string, b: string) => reached.get(a)?.has(b) && reached.get(b)?.has(a);
  const cycles: string[][] = [];
  for (const { path } of sources) {
    if (!inOneCycle(path, path)) continue;
    const cycle = cycles.find(([first = ""]) => inOneCycle(first, path));
    if (cycle) cycle.push(path);
    else cycles.push([path]);
  }
  return cycles;
}
