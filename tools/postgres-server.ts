import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { becomes, until } from "gangway-sandbox/demo/waiting";
import { Client } from "pg";
import { copyPrograms, initialise, type Programs } from "./postgres-programs.ts";

/** All other settings are as on a usual server. */
const SETTINGS = ["max_connections=300"];
/** For tests without power cuts. */
export const WITHOUT_SYNC = ["fsync=off", "full_page_writes=off"];
/**
 * Runs the server in its arguments, again at each line of standard input, until that ends: by `stop`, or with the
 * process that holds it. Then the folder in the first argument is removed.
 */
const KEEPER =
  'folder=$1; shift; trap "" INT TERM; while "$@" >>log 2>&1 & read -r again; do wait; done; kill -QUIT $!; wait; test -z "$folder" || rm -rf "$folder"';

export interface PostgresServer {
  /** Of the database that every server has. */
  url: string;
  /** Makes an empty one, and returns its URL. */
  newDatabase(name: string): Promise<string>;
  /** Of its first process, the parent of all others. */
  readonly pid: number;
  /** Kills all its processes at once, as when the machine fails. */
  kill(): Promise<void>;
  /** Starts it again after `kill`. */
  restart(): Promise<void>;
  /** Resolves when it answers; if it has ended by itself, it is started again, as by a service manager. */
  revive(): Promise<void>;
  stop(): Promise<void>;
}

/** A new PostgreSQL server in a temporary folder, which is removed with it. `more`: settings. `port`: on localhost. */
export async function startPostgres(more: string[] = [], port?: number): Promise<PostgresServer> {
  const programs = copyPrograms();
  await initialise(programs, "data");
  return runPostgres(programs, { data: "data", more, port, removes: true });
}

interface Running {
  data: string;
  more: string[];
  port?: number;
  /** The whole folder goes with it. */
  removes: boolean;
}

/** Runs a server on data that exists. */
export async function runPostgres(
  { folder, options }: Programs,
  { data, more, port, removes }: Running,
): Promise<PostgresServer> {
  const listening = port === undefined ? ["listen_addresses="] : ["listen_addresses=127.0.0.1", `port=${port}`];
  const all = [`unix_socket_directories=${folder}`, ...SETTINGS, ...listening, ...more];
  const command = ["server/bin/postgres", "-D", data, ...all.flatMap((setting) => ["-c", setting])];
  const keeper = spawn("sh", ["-c", KEEPER, "keeper", removes ? folder : "", ...command], {
    ...options,
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const url = `postgres://gangway@/postgres?host=${folder}${port === undefined ? "" : `&port=${port}`}`;
  const stop = async () => {
    keeper.stdin.end();
    await until("the end of PostgreSQL", () => keeper.exitCode !== null);
  };
  const pid = () => Number(readFileSync(join(folder, data, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  /** It removes the file at its end. */
  const isRunning = () => existsSync(join(folder, data, "postmaster.pid")) && lives(pid());
  const answering = () => until("PostgreSQL", () => answers(url));
  try {
    await answering();
  } catch (error) {
    const log = readFileSync(join(folder, "log"), "utf8");
    await stop();
    throw new Error(`PostgreSQL does not start: ${log}`, { cause: error });
  }
  return {
    ...{ url, stop },
    async newDatabase(name) {
      const client = new Client({ connectionString: url });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`).finally(() => client.end());
      return url.replace("/postgres?", `/${name}?`);
    },
    get pid() {
      return pid();
    },
    async kill() {
      const all = [pid(), ...childrenOf(pid())];
      for (const pid of all) process.kill(pid, "SIGKILL");
      await until("the end of PostgreSQL's processes", () => all.every((pid) => !lives(pid)));
    },
    async restart() {
      keeper.stdin.write("\n");
      await answering();
    },
    revive: () =>
      until("PostgreSQL", async () => {
        const isThere = await answers(url);
        if (isThere || isRunning()) return isThere;
        keeper.stdin.write("\n");
        return becomes(isRunning);
      }),
  };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);

/** A zombie has ended. */
const lives = (pid: number): boolean =>
  existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));

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
