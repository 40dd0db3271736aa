// npm run pack -- <folder>: tarballs of what a messenger outside this checkout is built and tried with: the port with its
// kit, the sandbox, and the built server. With --image <folder>: the files of the server's image.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SANDBOX = join(ROOT, "sandbox");
/** The only package that the server's bundle does not hold. */
const NATIVE = "better-sqlite3";

const manifestAt = (path) => JSON.parse(readFileSync(path, "utf8"));

/** Writes a tarball of each; gives their names by package. */
export function pack(given) {
  const folder = resolve(given);
  mkdirSync(folder, { recursive: true });
  for (const built of ["dist/server.js", "sandbox/dist/main.js", "packages/messenger/dist/port.js"])
    if (!existsSync(join(ROOT, built))) throw new Error(`${built} is missing: npm run build`);
  const staged = mkdtempSync(join(tmpdir(), "gangway-pack-"));
  try {
    const sources = [stageMessenger(staged), stageSandbox(staged), stageServer(join(staged, "server"))];
    // Alerts and remedies name pages of the documentation.
    for (const name of readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md")))
      cpSync(join(ROOT, "docs", name), join(staged, "server", "docs", name));
    return Object.fromEntries(
      sources.map((source) => [manifestAt(join(source, "package.json")).name, packed(source, folder)]),
    );
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

const packed = (source, folder) =>
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], {
    cwd: source,
    encoding: "utf8",
  }).trim();

const isOfBuild = (path) => basename(path) !== ".built";

function stageMessenger(staged) {
  const [source, folder] = [join(ROOT, "packages", "messenger"), join(staged, "messenger")];
  cpSync(join(source, "dist"), join(folder, "dist"), { recursive: true, filter: isOfBuild });
  for (const path of [join(source, "README.md"), join(ROOT, "LICENSE")]) cpSync(path, join(folder, basename(path)));
  return stage(folder, manifestAt(join(source, "package.json")));
}

/** Its bundle holds all that it imports. Its types do not: they name packages that no registry has. */
function stageSandbox(staged) {
  const folder = join(staged, "sandbox");
  for (const part of ["contract", "dist"])
    cpSync(join(SANDBOX, part), join(folder, part), {
      recursive: true,
      filter: (path) => isOfBuild(path) && !path.endsWith(".d.ts"),
    });
  for (const path of [join(SANDBOX, "README.md"), join(ROOT, "LICENSE")]) cpSync(path, join(folder, basename(path)));
  const { exports, scripts, devDependencies, private: _, ...manifest } = manifestAt(join(SANDBOX, "package.json"));
  const entries = Object.entries(exports).map(([name, entry]) => [name, entry.default ?? entry]);
  return stage(folder, { ...manifest, exports: Object.fromEntries(entries) });
}

function stage(folder, manifest) {
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, undefined, 2));
  return folder;
}

/** What the server's package has of its parts: not what it was bundled from, and what only development reads. */
const runs = (path) =>
  isOfBuild(path) && !/\/dist\/(modules|packed|scratch-[^/]*)$|\.map$|_snapshot\.json$|\.test\.yaml$/.test(path);

function stageServer(folder) {
  for (const part of ["dist", "migrations", "deploy"])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true, filter: runs });
  for (const part of ["LICENSE", "README.md"]) cpSync(join(ROOT, part), join(folder, part));
  const { name, version, description, license, type, bin, engines, dependencies } = manifestAt(
    join(ROOT, "package.json"),
  );
  const manifest = { name, version, description, license, type, bin, engines };
  const native = { dependencies: { [NATIVE]: dependencies[NATIVE] } };
  return stage(folder, { ...manifest, ...native });
}

/** What the server's image runs: its package, and of the native one only what this platform loads. */
export function stageImage(folder) {
  stageServer(folder);
  const { platform, arch } = process;
  const isLoaded = (path) =>
    !/\/(deps|src)$/.test(path) && (!path.endsWith(".node") || path.endsWith(`/${platform}-${arch}.node`));
  cpSync(join(ROOT, "node_modules", NATIVE), join(folder, "node_modules", NATIVE), {
    recursive: true,
    filter: isLoaded,
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, folder = join(ROOT, "dist", "packed")] = process.argv.slice(2);
  if (option === "--image") stageImage(folder);
  else
    for (const file of Object.values(pack(option ?? folder))) process.stdout.write(`${join(option ?? folder, file)}\n`);
}
