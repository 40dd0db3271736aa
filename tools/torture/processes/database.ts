import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "gangway-sandbox";
import { until } from "gangway-sandbox/demo/waiting";
import { Client } from "pg";
import { copyPrograms, initialise, type Programs } from "../../postgres-programs.ts";
import { type PostgresServer, runPostgres, WITHOUT_SYNC } from "../../postgres-server.ts";

/** A PostgreSQL with a synchronous replica: a commit is confirmed once both have it. */
export interface Database {
  port(): number;
  /** Of the primary. */
  url(): string;
  primary(): PostgresServer;
  replica(): PostgresServer;
  /** The replica becomes the primary once the old one is gone. The new one has no replica. */
  promote(): Promise<void>;
  /** Makes a replica of the primary, which from now on waits for it. */
  replicate(): Promise<void>;
  stop(): Promise<void>;
}

interface Node {
  data: string;
  port: number;
  server: PostgresServer;
}

/** Kept for a replica that has been away; and what no commit waits for is written late, so that a crash shows it. */
const SETTINGS = [...WITHOUT_SYNC, "wal_keep_size=512MB", "wal_writer_delay=10s"];
const REPLICA = "replica";

/** Where a database's data lies, and how it is run. */
export interface Place {
  programs: Programs;
  /** What its data is made with. */
  made: string[];
  settings: string[];
  /** Called at its end, before the folder of the programs is removed. */
  leave(): void;
}

const anywhere = (): Place => ({ programs: copyPrograms(), made: [], settings: SETTINGS, leave() {} });

export async function openDatabase({ programs, made, settings, leave }: Place = anywhere()): Promise<Database> {
  const [port, other] = [await freePort(0), await freePort(0)];
  await initialise(programs, "one", made);
  const start = (data: string, at: number) => runPostgres(programs, { data, more: settings, port: at, removes: false });
  let primary: Node = { data: "one", port, server: await start("one", port) };
  let replica: Node | undefined;
  let spare = { data: "two", port: other };
  return {
    port: () => primary.port,
    url: () => primary.server.url,
    primary: () => primary.server,
    replica: () => (replica as Node).server,
    async promote() {
      if (!replica) throw new Error("there is no replica");
      await primary.server.stop();
      spare = primary;
      primary = replica;
      replica = undefined;
      await command(primary.server.url, "SELECT pg_promote()");
    },
    async replicate() {
      await copyData(programs, primary, spare.data);
      replica = { ...spare, server: await start(spare.data, spare.port) };
      const { url } = primary.server;
      await until("the replica", async () => (await command(url, STREAMING)).length > 0);
      await command(url, `ALTER SYSTEM SET synchronous_standby_names = '${REPLICA}'`);
      await command(url, "SELECT pg_reload_conf()");
    },
    async stop() {
      await replica?.server.stop();
      await primary.server.stop();
      leave();
      rmSync(programs.folder, { recursive: true, force: true });
    },
  };
}

const STREAMING = "SELECT FROM pg_stat_replication WHERE state = 'streaming'";

/** A copy of the data that a running primary has, for a server that follows it. */
async function copyData({ folder, options }: Programs, primary: Node, to: string): Promise<void> {
  const client = new Client({ connectionString: primary.server.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('copy', true)");
    rmSync(join(folder, to), { recursive: true, force: true });
    // A file may be gone meanwhile: the log has what matters.
    await once(spawn("cp", ["-a", primary.data, to], { ...options, stdio: "ignore" }), "close");
    const [{ labelfile }] = (await client.query("SELECT labelfile FROM pg_backup_stop(false)")).rows;
    for (const own of ["postmaster.pid", "postmaster.opts"]) rmSync(join(folder, to, own), { force: true });
    writeFileSync(join(folder, to, "backup_label"), labelfile);
    writeFileSync(join(folder, to, "standby.signal"), "");
    const follow = `host=127.0.0.1 port=${primary.port} user=gangway application_name=${REPLICA}`;
    appendFileSync(
      join(folder, to, "postgresql.auto.conf"),
      `primary_conninfo = '${follow}'\nsynchronous_standby_names = ''\n`,
    );
    const { uid, gid } = options;
    if (uid !== undefined && gid !== undefined)
      for (const own of ["backup_label", "standby.signal"]) chownSync(join(folder, to, own), uid, gid);
  } finally {
    await client.end();
  }
}

async function command(connectionString: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
