import { first, run, type Verb } from "../engine.ts";

interface Restored {
  /** When the backup was made, ms, where that is known. */
  madeAt?: number;
  /** Send what was unsent instead of holding it. */
  resend: boolean;
  /** Delivery deadline of what is sent, from now, ms. */
  patienceMs: number;
}

const UNSENT = "direction = 'outbound' AND state IN ('ready','sending','waiting')";
const COUNT = `SELECT count(*) AS count FROM message WHERE ${UNSENT}`;
const HOLD = `UPDATE message SET state = 'held', head = 0, error_code = 'general', error = @why, updated_at = @now,
  ended_at = @now WHERE ${UNSENT}`;
const RESEND = `UPDATE message SET deadline_at = @deadline WHERE ${UNSENT}`;
const AUDIT = "INSERT INTO audit (actor, action, detail, at) VALUES ('operator', 'backup restored', @detail, @now)";

/**
 * What a database from a backup needs before a server runs on it: unsent messages may have reached the customer since, so a
 * person decides. Messages to the gateway, and acks, are deduplicated by it. Returns how many are held.
 */
export function* afterRestore(now: number, { madeAt, resend, patienceMs }: Restored): Verb<number> {
  const unsent = (yield* first<{ count: number }>(COUNT))?.count ?? 0;
  const held = resend ? 0 : unsent;
  if (resend) yield* run(RESEND, { deadline: now + patienceMs });
  else yield* run(HOLD, { now, why: reason(madeAt) });
  yield* run(AUDIT, { now, detail: JSON.stringify({ madeAt, held, resend }) });
  return held;
}

function reason(madeAt: number | undefined): string {
  const when = madeAt === undefined ? "" : ` of ${new Date(madeAt).toISOString()}`;
  return `restored from a backup${when}: it may have been delivered since`;
}
