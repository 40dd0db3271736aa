import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { build, type Plugin } from "esbuild";
import { type Patch, PatchMisfit, patched } from "../torture/copy.ts";
import type { Host } from "./host.ts";

/** A program as one script, packages included: evaluated anew, it has begun anew, on whatever host it is given. */
export type Program<T> = (host: Host) => T;

const real = createRequire(import.meta.url);

/** Modules that come from the host or from this process. */
const OUTSIDE = ["better-sqlite3", "pg", "undici"];

/** Changes the modules in `folder` by the patches, and tells each file its own address. Throws PatchMisfit. */
const changed = (folder: string, patches: Patch[]): Plugin => ({
  name: "changed",
  setup({ onLoad, onEnd }) {
    const left = new Set(patches);
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      let contents = readFileSync(path, "utf8");
      for (const patch of left)
        if (path === join(folder, patch.file) && left.delete(patch)) contents = patched(contents, patch);
      const known = { url: pathToFileURL(path).href, dirname: dirname(path), filename: path };
      const own = (_: string, of: keyof typeof known) => JSON.stringify(known[of]);
      return { contents: contents.replaceAll(/import\.meta\.(url|dirname|filename)\b/g, own) };
    });
    onEnd(() => {
      const [misfit] = left;
      if (misfit) throw new PatchMisfit(`${misfit.file} is not part of the program`);
    });
  },
});

/** `entry`: ES module text; what it exports is the program. `folder`: where its imports are found. Throws PatchMisfit. */
export async function bundled<T>(
  entry: string,
  folder: string,
  name: string,
  patches: Patch[] = [],
): Promise<Program<T>> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: folder, sourcefile: name },
    ...{ bundle: true, write: false, platform: "node", format: "cjs", target: "node22", logLevel: "error" },
    ...{ external: OUTSIDE, plugins: [changed(folder, patches)] },
  });
  const text = outputFiles[0]?.text ?? "";
  let wrap: ((...given: unknown[]) => void) | undefined;
  let names: string[] = [];
  return ({ globals, modules }) => {
    if (!wrap) {
      names = Object.keys(globals);
      const script = new Script(`(function (require, module, exports, ${names.join(", ")}) {${text}\n})`, {
        filename: name,
      });
      wrap = script.runInThisContext() as typeof wrap;
    }
    const given = (path: string) => {
      const plain = path.replace(/^node:/, "");
      return plain in modules ? modules[plain] : real(path);
    };
    const module = { exports: {} };
    wrap?.(given, module, module.exports, ...names.map((each) => globals[each]));
    return module.exports as T;
  };
}
