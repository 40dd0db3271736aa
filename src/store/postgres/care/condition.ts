import type { Clock } from "gangway-messenger/clock";
import type { Check, Condition, PostgresFigures } from "../../care.ts";
import { type Bucket, probe } from "../../objects/bucket.ts";
import type { KeyRing } from "../../secrets.ts";
import {
  type CheckResult,
  contentFigures,
  type SharedCheck,
  sharedChecks,
  summarize,
} from "../../tables/care/checks.ts";
import { all, type Engine, first, type Verb } from "../../tables/engine.ts";
import { checkObjects, SEALED } from "../files/kept-files.ts";
import { MEMBERS, NOW } from "../tables/leases.ts";

/** Pages whose checksums PostgreSQL has found to be wrong; NULL without checksums. */
const CHECKSUMS = `SELECT current_setting('data_checksums') AS checksums, coalesce(checksum_failures, 0) AS failures
  FROM pg_stat_database WHERE datname = current_database()`;

function* integrity(): Verb<CheckResult> {
  const [row] = yield* all<{ checksums: string; failures: number }>(CHECKSUMS);
  if (row?.checksums !== "on") return summarize("PostgreSQL keeps no checksums of this database", []);
  const { failures } = row;
  return summarize(
    "checksums that PostgreSQL checks",
    failures === 0 ? [] : [`${failures} pages have wrong checksums`],
  );
}

const FILES = `SELECT kept_file.id AS id, kept_file.size AS size, coalesce(sum(octet_length(bytes)), 0) AS found
  FROM kept_file LEFT JOIN kept_chunk ON kept_chunk.file_id = kept_file.id
  WHERE NOT EXISTS (SELECT 1 FROM kept_object WHERE kept_object.file_id = kept_file.id)
  GROUP BY kept_file.channel_id, kept_file.id HAVING coalesce(sum(octet_length(bytes)), 0) <> kept_file.size`;
const FILES_IN_ALL = `SELECT count(*) AS count FROM kept_file
  WHERE NOT EXISTS (SELECT 1 FROM kept_object WHERE kept_object.file_id = kept_file.id)`;

function* keptFiles(): Verb<CheckResult> {
  const wrong = yield* all<{ id: string; size: number; found: number }>(FILES);
  const [row] = yield* all<{ count: number }>(FILES_IN_ALL);
  const faults = wrong.map(({ id, size, found }) => `the file ${id} has ${found} bytes and should have ${size}`);
  return summarize(`${row?.count ?? 0} files`, faults);
}

interface Checked {
  ring: KeyRing;
  /** Where files are, if not in the database. */
  bucket?: Bucket;
}

/** Checks all invariants, also while servers run. PostgreSQL itself enforces references. */
export async function verify(engine: Pick<Engine, "read">, { ring, bucket }: Checked): Promise<Check[]> {
  const checks: SharedCheck[] = [
    ["integrity", "file", integrity],
    ...sharedChecks({ ring, columns: SEALED }),
    ["kept files", "content", keptFiles],
  ];
  const done: Check[] = [];
  for (const [name, kind, check] of checks) done.push({ name, kind, ...(await engine.read(check)) });
  if (bucket) done.push({ name: "files in the bucket", kind: "content", ...(await checkObjects(engine, bucket)) });
  return done;
}

/** A transaction open for longer is reported, ms: none of Gangway's is. */
const LONG_MS = 60_000;
const LISTED = 5;

/** Roles without `pg_read_all_stats` see neither others' transactions nor the state of replicas. */
const SERVER = `SELECT current_setting('server_version') AS version,
  pg_database_size(current_database()) AS bytes,
  current_setting('synchronous_commit') AS synchronous, current_setting('synchronous_standby_names') AS standbys,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS max,
  (SELECT sum(numbackends) FROM pg_stat_database) AS used,
  (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gangway' AND datname = current_database()) AS own,
  (SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database()) AS age,
  current_setting('autovacuum_freeze_max_age')::int AS freeze,
  pg_has_role('pg_read_all_stats', 'USAGE') AS sees, ${NOW} AS now`;
const MESSAGES = `SELECT n_live_tup AS live, n_dead_tup AS dead,
  CAST(extract(epoch FROM greatest(last_autovacuum, last_vacuum)) * 1000 AS bigint) AS "vacuumedAt"
  FROM pg_stat_user_tables WHERE relid = CAST('message' AS regclass)`;
const REPLICAS = `SELECT count(*) AS all, count(*) FILTER (WHERE sync_state IN ('sync','quorum')) AS synchronous,
  CAST(extract(epoch FROM max(coalesce(replay_lag, interval '0'))) * 1000 AS bigint) AS "lagMs" FROM pg_stat_replication`;
/** Prepared transactions hold back vacuum in the same way, until somebody ends them. */
const LONG = `SELECT who, CAST(extract(epoch FROM clock_timestamp() - since) * 1000 AS bigint) AS ms FROM (
    SELECT concat_ws(', ', 'process ' || pid, usename, nullif(application_name, ''), state) AS who, xact_start AS since
    FROM pg_stat_activity WHERE datname = current_database() AND backend_type NOT LIKE 'autovacuum%'
    UNION ALL SELECT 'prepared transaction ' || gid, prepared FROM pg_prepared_xacts WHERE database = current_database()
  ) AS open WHERE since < clock_timestamp() - @longMs * interval '1 millisecond' ORDER BY since LIMIT ${LISTED}`;
const LIVING = `SELECT owner, (SELECT count(*) FROM account_lease WHERE account_lease.owner = member.owner) AS accounts
  FROM member WHERE owner IN (${MEMBERS}) ORDER BY owner`;
const UNHELD = `SELECT count(*) AS count FROM account WHERE NOT EXISTS (
  SELECT 1 FROM account_lease WHERE account_id = account.id AND owner IN (${MEMBERS}))`;

type Server = Pick<PostgresFigures, "version" | "bytes"> &
  PostgresFigures["connections"] &
  PostgresFigures["commits"] & { age: number; freeze: number; sees: boolean; now: number };
type Replicas = Record<"all" | "synchronous" | "lagMs", number | null>;
type Messages = { live: number; dead: number; vacuumedAt: number | null };

/** `longMs`: transactions that have been open for longer are listed. */
export function condition(
  { read }: Pick<Engine, "read">,
  { ring, bucket }: Checked,
  clock: Clock,
  longMs = LONG_MS,
): Condition {
  const keys = { ring, columns: SEALED };
  return {
    verify: () => verify({ read }, { ring, bucket }),
    probeBucket: bucket && (() => probe(bucket)),
    async figures() {
      const askedAt = clock.now();
      const server = (await read(() => first<Server>(SERVER))) as Server;
      // Assumes that the server answered in the middle of the round trip.
      const aheadMs = server.now - (askedAt + clock.now()) / 2;
      return { ...(await read(() => ofServer(server, longMs))), aheadMs, ...(await read(() => contentFigures(keys))) };
    },
  };
}

function* ofServer(server: Server, longMs: number): Verb<Omit<PostgresFigures, "aheadMs">> {
  const { version, bytes, used, own, max, synchronous, standbys, age, freeze, sees } = server;
  const replicas = (yield* first<Replicas>(REPLICAS)) as Replicas;
  const messages = yield* first<Messages>(MESSAGES);
  return {
    engine: "PostgreSQL",
    ...{ version, bytes },
    members: yield* all<{ owner: string; accounts: number }>(LIVING),
    unheld: (yield* first<{ count: number }>(UNHELD))?.count ?? 0,
    connections: { used, own, max },
    commits: { synchronous, standbys },
    replicas: {
      all: replicas.all ?? 0,
      ...(sees && { synchronous: replicas.synchronous ?? 0, lagMs: replicas.lagMs ?? 0 }),
    },
    long: sees ? yield* all<{ who: string; ms: number }>(LONG, { longMs }) : undefined,
    messages: {
      live: messages?.live ?? 0,
      dead: messages?.dead ?? 0,
      vacuumedAt: messages?.vacuumedAt ?? undefined,
    },
    age: { now: age, freeze },
  };
}
