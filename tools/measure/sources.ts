import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

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

export const exportsOf = ({ text }: Source): number =>
  [
    ...text.matchAll(
      /^export (?:default |declare |abstract |async )*(?:function\*?|class|const|let|interface|type|enum)\b/gm,
    ),
  ].length;

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

/** Counts imports within a folder: between its files, and between distinct pairs of its subfolders. */
export function importsWithin(sources: Source[], folder: string): { files: number; folders: number } {
  const own = sources.filter(({ path }) => path.startsWith(`${folder}/`));
  const pairs = own.flatMap(({ path, imports }) =>
    imports.filter((target) => target.startsWith(`${folder}/`)).map((target) => [path, target] as const),
  );
  const folderOf = (path: string) =>
    path
      .slice(folder.length + 1)
      .split("/")
      .slice(0, -1)
      .join("/");
  const folders = pairs
    .map(([from, target]) => [folderOf(from), folderOf(target)] as const)
    .filter(([a, b]) => a !== b);
  return { files: pairs.length, folders: new Set(folders.map(String)).size };
}
