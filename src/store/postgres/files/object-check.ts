import type { Bucket } from "../../objects/bucket.ts";
import { BucketError } from "../../objects/bucket.ts";
import { type CheckResult, summarize } from "../../tables/care/checks.ts";
import { all, type Engine } from "../../tables/engine.ts";
import { sizesIn } from "./kept-objects.ts";

/** Files asked about at once. */
const AT_ONCE = 16;
const FILES = `SELECT kept_file.id AS id, size, parts, kept_object.rowid AS number
  FROM kept_object JOIN kept_file ON kept_file.id = kept_object.file_id
  WHERE kept_object.rowid > @after ORDER BY kept_object.rowid LIMIT ${AT_ONCE}`;

interface FileRow {
  id: string;
  size: number;
  parts: number;
  number: number;
}

/** Whether the bucket has all bytes of its files. */
export async function checkObjects({ read }: Pick<Engine, "read">, bucket: Bucket): Promise<CheckResult> {
  const faults: string[] = [];
  let seen = 0;
  try {
    for (let after = -1; ; ) {
      const rows = await read(() => all<FileRow>(FILES, { after }));
      const last = rows.at(-1);
      if (!last) return summarize(`${seen} files`, faults);
      for (const found of await Promise.all(rows.map((row) => faultOf(bucket, row)))) if (found) faults.push(found);
      seen += rows.length;
      after = last.number;
    }
  } catch (error) {
    if (!(error instanceof BucketError)) throw error;
    return summarize(`${seen} files`, [...faults, error.message]);
  }
}

async function faultOf(bucket: Bucket, { id, size, parts }: FileRow): Promise<string | undefined> {
  const sizes = await sizesIn(bucket, id, parts);
  const missing = sizes.filter((each) => each === undefined).length;
  if (missing > 0) return `the file ${id} lacks ${missing} of its ${parts} objects`;
  const found = sizes.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  return found === size ? undefined : `the file ${id} has ${found} bytes and should have ${size}`;
}
