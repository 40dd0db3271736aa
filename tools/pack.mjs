// npm run pack -- <folder>: what a messenger outside this checkout is built and tried with, as npm would install it: the
// port with its kit, the sandbox, and the built server. The checkout must be built.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SANDBOX = join(ROOT, "sandbox");
/** The only package that the server's bundle does not hold. */
const NATIVE = "better-sqlite3";

const textOf = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Writes a tarball of each; gives their names by package. */
export function pack(given) {
  const folder = resolve(given);
  mkdirSync(folder, { recursive: true });
  for (const built of ["dist/server.js", "sandbox/dist/main.js", "packages/messenger/dist/port.js"])
    if (!existsSync(join(ROOT, built))) throw new Error(`${built} is missing: npm run build`);
  const server = mkdtempSync(join(tmpdir(), "gangway-server-"));
  try {
    stageServer(server);
    const sources = [join(ROOT, "packages", "messenger"), SANDBOX, server];
    return Object.fromEntries(
      sources.map((source) => [textOf(join(source, "package.json")).name, packed(source, folder)]),
    );
  } finally {
    rmSync(server, { recursive: true, force: true });
  }
}

const packed = (source, folder) =>
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: source,
    encoding: "utf8",
  }).trim();

/** The files that run, without what they were bundled from. */
function stageServer(folder) {
  const isOfBuild = (path) => !/\/dist\/(modules|scratch-[^/]*)$/.test(path) && !path.endsWith(".map");
  for (const part of ["dist", "migrations"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: isOfBuild });
  for (const part of ["LICENSE", "README.md"]) cpSync(join(ROOT, part), join(folder, part));
  const { name, version, description, license, type, bin, engines, dependencies } = textOf(join(ROOT, "package.json"));
  const manifest = { name, version, description, license, type, bin, engines };
  const native = { dependencies: { [NATIVE]: dependencies[NATIVE] } };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ ...manifest, ...native }, undefined, 2));
}

if (import.meta.main) {
  const [folder = join(ROOT, "dist", "packed")] = process.argv.slice(2);
  for (const file of Object.values(pack(folder))) process.stdout.write(`${join(folder, file)}\n`);
}
