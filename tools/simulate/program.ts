import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { build, type Plugin } from "esbuild";
import { ROOT } from "../root.ts";
import { type Patch, PatchMisfit, patched, patchedPath } from "../torture/copy.ts";
import { type Conditions, createHost } from "./host.ts";
import { createTime } from "./time.ts";

/**
 * A program as one script, packages included, run under the given conditions. It is evaluated once, which makes it
 * fast: its modules keep no state that a new life would not have.
 */
export type Program<T> = (conditions: Conditions) => T;

const real = createRequire(import.meta.url);

/** Modules that come from the host or from this process. */
const OUTSIDE = ["better-sqlite3", "pg", "undici"];

/** The texts of the modules that the patches change, by path. Throws PatchMisfit. */
function patchedModules(patches: Patch[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const patch of patches) {
    const path = patchedPath(ROOT, "dist/modules", patch);
    texts.set(path, patched(texts.get(path) ?? readFileSync(path, "utf8"), patch));
  }
  return texts;
}

/** Takes these texts instead of the files', and tells each file its own address. */
const changed = (texts: Map<string, string>): Plugin => ({
  name: "changed",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      const contents = texts.get(path) ?? readFileSync(path, "utf8");
      const known = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
      const own = (_: string, of: keyof typeof known) => JSON.stringify(known[of]);
      const text = contents.replaceAll(/import\.meta\.(url|dirname|filename)\b/g, own);
      // Patches of sources may bring types.
      return { contents: text, loader: texts.has(path) ? "ts" : "js" };
    }),
});

/**
 * `entry`: ES module text; what it exports is the program. `folder`: where its imports are found, and the files of its
 * `threads`. Throws PatchMisfit.
 */
export async function bundled<T>(
  entry: string,
  folder: string,
  name: string,
  { patches = [], threads = [] }: { patches?: Patch[]; threads?: string[] } = {},
): Promise<Program<T>> {
  const texts = patchedModules(patches);
  const bundle = async (contents: string) => {
    const { outputFiles, metafile } = await build({
      stdin: { contents, resolveDir: folder, sourcefile: name },
      ...{ bundle: true, write: false, platform: "node", format: "cjs", target: "node22", logLevel: "error" },
      ...{ external: OUTSIDE, plugins: [changed(texts)], metafile: true, absWorkingDir: "/" },
    });
    return { text: outputFiles[0]?.text ?? "", inputs: metafile.inputs };
  };
  const { text, inputs } = await bundle(entry);
  const misfit = [...texts.keys()].find((path) => !inputs[path.slice(1)]);
  if (misfit) throw new PatchMisfit(`${misfit} is not part of the program`);
  let current = stillness();
  const programs = new Map<string, (own: object) => void>();
  const { globals, modules } = createHost(
    () => current,
    (url, own) => {
      const of = programs.get(url);
      if (!of) throw new Error(`no thread has the program ${url}`);
      of(own);
    },
  );
  const names = Object.keys(globals);
  /** Runs it; `own`: modules that are different for it. Returns what it exports. */
  const runnable = (text: string) => {
    const script = new Script(`(function (require, module, exports, ${names.join(", ")}) {${text}\n})`, {
      filename: name,
    });
    return (own: object = {}) => {
      const all: Record<string, unknown> = { ...modules, ...own };
      const given = (path: string) => {
        const plain = path.replace(/^node:/, "");
        return plain in all ? all[plain] : real(path);
      };
      const module = { exports: {} };
      script.runInThisContext()(given, module, module.exports, ...names.map((each) => globals[each]));
      return module.exports;
    };
  };
  for (const file of threads) {
    const own = await bundle(`import "./${file}";`);
    programs.set(pathToFileURL(join(folder, file)).href, runnable(own.text));
  }
  const program = runnable(text)() as T;
  return (conditions) => {
    current = conditions;
    return program;
  };
}

/** Does nothing: for what a program computes before it has a life. */
export function stillness(): Conditions {
  return {
    ...{ time: createTime(), startedAt: 0, random: () => 0.5, wall: () => 0, operation() {}, isGone: () => false },
    fetch: async () => Promise.reject(new Error("it calls nobody")),
  };
}
