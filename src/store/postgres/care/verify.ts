import type { Check } from "../../care.ts";
import type { Bucket } from "../../objects/bucket.ts";
import type { KeyRing } from "../../secrets.ts";
import { type CheckResult, type SharedCheck, sharedChecks, summarize } from "../../tables/care/checks.ts";
import { all, type Engine, type Verb } from "../../tables/engine.ts";
import { SEALED } from "../files/kept-objects.ts";
import { checkObjects } from "../files/object-check.ts";

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

export interface Checked {
  ring: KeyRing;
  /** Where files are, if not in the database. */
  bucket?: Bucket;
}

/** All invariants, also while servers run. PostgreSQL itself keeps the references. */
export async function verify(engine: Pick<Engine, "read">, { ring, bucket }: Checked): Promise<Check[]> {
  const checks: SharedCheck[] = [
    ["integrity", "file", integrity],
    ...sharedChecks({ ring, search: "strpos", columns: SEALED }),
    ["kept files", "content", keptFiles],
  ];
  const done: Check[] = [];
  for (const [name, kind, check] of checks) done.push({ name, kind, ...(await engine.read(check)) });
  if (bucket) done.push({ name: "files in the bucket", kind: "content", ...(await checkObjects(engine, bucket)) });
  return done;
}
