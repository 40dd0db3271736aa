import { readFileSync } from "node:fs";
import { join } from "node:path";

const read = (root, path) => readFileSync(join(root, path), "utf8");
const versions = (root) => {
  const { dependencies, devDependencies } = JSON.parse(read(root, "package.json"));
  return { ...dependencies, ...devDependencies };
};

/** Of the port and its kit. */
const portVersion = (root) => JSON.parse(read(root, "packages/messenger/package.json")).version;

function common(root, kind, source) {
  const entry = (from, to) => ({
    ...(source && { source: `./${from}.ts` }),
    types: `./dist/${to}.d.ts`,
    default: `./dist/${to}.js`,
  });
  return {
    name: `gangway-${kind}`,
    version: "0.1.0",
    description: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} for Gangway`,
    license: "MIT",
    ...(source && { private: true }),
    type: "module",
    exports: {
      ".": entry("src/index", "src/index"),
      "./emulator/*": entry("emulator/*", "emulator/*"),
      "./package.json": "./package.json",
    },
    files: ["dist"],
    engines: { node: ">=22.19" },
    gangway: { port: `^${portVersion(root)}` },
  };
}

/** Of a messenger of this checkout. */
export function manifestInside(root, kind) {
  const { zod, hono } = versions(root);
  const dependencies = { "gangway-messenger": portVersion(root), zod };
  return { ...common(root, kind, true), dependencies, devDependencies: { hono } };
}

/** Of one in a folder of its own, with what it is built and tried with in vendor/. */
export function manifestOutside(root, kind, tarballs) {
  const of = versions(root);
  const vendored = Object.entries(tarballs).map(([name, file]) => [name, `file:vendor/${file}`]);
  const tools = ["@types/node", "hono", "typescript", "vitest"].map((name) => [name, of[name]]);
  const all = [...vendored, ...tools].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...common(root, kind, false),
    scripts: {
      build: "tsc -p tsconfig.build.json",
      test: "tsc -p tsconfig.json && vitest run",
      prove: "PROVE=1 vitest run -t announces",
      level: "npm run -s build && gangway-kit level --write",
      demo: "npm run -s build && gangway-sandbox demo --messenger .",
    },
    dependencies: { zod: of.zod },
    peerDependencies: { "gangway-messenger": `^${portVersion(root)}` },
    devDependencies: Object.fromEntries(all),
  };
}
