import type { Check } from "../../care.ts";
import { openBucket } from "../../objects/open.ts";
import { createSealer, type KeyRing } from "../../secrets.ts";
import { type BucketAccess, StoreError } from "../../store.ts";
import { checkKeys } from "../../tables/accounts/keys.ts";
import { afterRestore as applyTo } from "../../tables/care/retention.ts";
import { run, type Verb } from "../../tables/engine.ts";
import { connect } from "../database/connection.ts";
import { postgresEngine } from "../database/engine.ts";
import { hasTables, migrateTables } from "../database/migrating.ts";
import { keepServersOut } from "../tables/leases.ts";
import { verify } from "./condition.ts";

interface Options {
  url: string;
  /** Where kept files are, if not in the database. */
  bucket?: BucketAccess;
  keyRing: KeyRing;
  now: number;
  /** Send what was unsent instead of holding it. */
  resend: boolean;
  /** Delivery deadline of what is sent, from now, ms. */
  patienceMs: number;
}

interface Report {
  /** Number of messages to customers held for a person. */
  held: number;
  /** Checks of the database afterwards. */
  checks: Check[];
}

/**
 * Prepares a database that PostgreSQL's own tools have restored, before a server runs on it. A second run finds nothing
 * more to hold. Throws StoreError; then nothing is held.
 */
export async function afterRestore({
  url,
  bucket: access,
  keyRing,
  now,
  resend,
  patienceMs,
}: Options): Promise<Report> {
  const pool = await connect(url, () => undefined, { answerMs: 0 });
  try {
    const engine = postgresEngine(pool, { sealer: createSealer(keyRing) });
    if (!(await engine.read(hasTables)))
      throw new StoreError("the database of DATABASE_URL has no tables of Gangway: restore the backup into it first");
    await migrateTables(pool, url);
    await checkKeys(engine, { ring: keyRing, shared: true });
    const held = await engine.write(function* (): Verb<number> {
      yield* run("SET LOCAL statement_timeout = 0");
      yield* keepServersOut();
      return yield* applyTo(now, { resend, patienceMs });
    });
    const bucket = access && (await openBucket(access));
    return { held, checks: await verify(engine, { ring: keyRing, bucket }) };
  } finally {
    await pool.end();
  }
}
