import { readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { ROOT } from "../root.ts";
import { type Patch, patched, patchedPath } from "../torture/copy.ts";

/** Patches of sources, as patches of what is built of them. Throws PatchMisfit. */
export function patchesOfSources(patches: Patch[]): Patch[] {
  const texts = new Map<string, string>();
  for (const patch of patches)
    texts.set(
      patch.file,
      patched(texts.get(patch.file) ?? readFileSync(patchedPath(ROOT, "src", patch), "utf8"), patch),
    );
  return [...texts].map(([file, text]) => patchOfSource(file, text));
}

/** Puts another text in place of a source file: a path in `src`, or of a package's. */
export function patchOfSource(source: string, text: string): Patch {
  const file = source.replace(/\.tsx?$/, ".js").replace(/^((?:packages|messengers)\/[^/]+)\/src\//, "$1/dist/");
  const { code } = transformSync(text, {
    loader: "tsx",
    target: "node22",
    jsx: "automatic",
    jsxImportSource: "hono/jsx",
  });
  return {
    file,
    find: readFileSync(patchedPath(ROOT, "dist/modules", { file }), "utf8"),
    replace: code.replaceAll(/(from "\.[^"]*)\.tsx?"/g, '$1.js"'),
  };
}
