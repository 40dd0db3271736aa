import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Source {
  /** From the checkout. */
  path: string;
  text: string;
  /** Files that it imports, as paths from the checkout. */
  imports: string[];
}

const IMPORT = /^(?:import|export)\s(?:[^;"]*?from\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gms;

/** What stands behind every `import` and `export … from` of a text, types included. */
export const specifiersIn = (text: string): string[] =>
  [...text.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? "");

/** The files among them, as paths from where `path` begins. */
export const filesImported = (path: string, text: string): string[] =>
  specifiersIn(text)
    .filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(path), specifier)));

/** The sources below a folder; none where there is no such folder. */
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

/** Names that a file hands out. */
export const exportsOf = ({ text }: Source): number =>
  [
    ...text.matchAll(
      /^export (?:default |declare |abstract |async )*(?:function\*?|class|const|let|interface|type|enum)\b/gm,
    ),
  ].length;

/** `as` with a type, which the compiler believes; `as const` claims nothing. */
export const castsIn = ({ text }: Source): number =>
  text.split("\n").filter((line) => !isComment(line) && /\S as (?!const\b)[\w{[("'(]/.test(line) && !isRenaming(line))
    .length;
const isRenaming = (line: string) => /^\s*(import|export)\b|^\s*(type )?\w+ as \w+,?$/.test(line);

export const commentLinesOf = ({ text }: Source): number => text.split("\n").filter(isComment).length;
const isComment = (line: string) => /^\s*(\/\/|\/\*|\*)/.test(line);

/** Files that import each other, directly or through others: each group once. */
export function circlesOf(sources: Pick<Source, "path" | "imports">[]): string[][] {
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
  const inOne = (a: string, b: string) => reached.get(a)?.has(b) && reached.get(b)?.has(a);
  const circles: string[][] = [];
  for (const { path } of sources) {
    if (!inOne(path, path)) continue;
    const circle = circles.find(([first = ""]) => inOne(first, path));
    if (circle) circle.push(path);
    else circles.push([path]);
  }
  return circles;
}

/** Imports from file to file within a folder, and how many pairs of its rooms (its folders) they tie. */
export function arrowsIn(sources: Source[], folder: string): { files: number; rooms: number } {
  const own = sources.filter(({ path }) => path.startsWith(`${folder}/`));
  const pairs = own.flatMap(({ path, imports }) =>
    imports.filter((target) => target.startsWith(`${folder}/`)).map((target) => [path, target] as const),
  );
  const roomOf = (path: string) =>
    path
      .slice(folder.length + 1)
      .split("/")
      .slice(0, -1)
      .join("/");
  const rooms = pairs.map(([from, target]) => [roomOf(from), roomOf(target)] as const).filter(([a, b]) => a !== b);
  return { files: pairs.length, rooms: new Set(rooms.map(String)).size };
}
