import {
  assignmentsOf,
  columnOf,
  currentOf,
  type Dialect,
  type Kind,
  type MessageColumn,
  namesOf,
  RETURNED_LANE,
  type RecordedLane,
  type Update,
} from "../../outbox/updates.ts";
import { MAX_TRIES } from "../../tables/contents.ts";
import { NOW } from "../leases.ts";
import type { Session } from "../sessions.ts";
import { records, recordsOf } from "./records.ts";

// Of one batch, updates of the same columns are one statement.

const DIALECT: Dialect = {
  value: (name) => `given."${name}"`,
  tried: (name) => `CASE WHEN given."${name}" IS NULL THEN message.${columnOf(name)} ELSE CAST((
    CASE WHEN json_array_length(CAST(message.${columnOf(name)} AS json)) >= ${MAX_TRIES}
      THEN CAST(message.${columnOf(name)} AS jsonb) - 1 ELSE coalesce(CAST(message.${columnOf(name)} AS jsonb), '[]') END
    || jsonb_build_array(jsonb_build_array(given."updatedAt", given."${name}"))) AS text) END`,
  // Only under the lease.
  leaves: `EXISTS (SELECT FROM account_lease JOIN member ON member.owner = account_lease.owner
      JOIN account ON account.id = account_lease.account_id
    WHERE account_lease.account_id = message.account_id AND account_lease.fence = given."ackFence"
      AND member.expires_at > ${NOW} AND active <> 0 AND frozen = 0 AND rest_until <= given."updatedAt")`,
};
export type Recorded = RecordedLane & { n: number };

/** By kind and columns: each text is built once. */
const texts = new Map<string, string>();

function textOf(kind: Kind, names: MessageColumn[]): string {
  const set = assignmentsOf(kind, names, DIALECT);
  return `WITH given AS (SELECT * FROM ${recordsOf("given", names, ["n", "key", "was", "version"])}), old AS MATERIALIZED (
      SELECT message.id, message.ack FROM message JOIN given ON given.key = message.id WHERE ${currentOf(kind, DIALECT)}
      ORDER BY message.id FOR UPDATE OF message)
    UPDATE message SET ${set} FROM given JOIN old ON old.id = given.key WHERE message.id = given.key
    RETURNING given.n, old.ack AS "ackBefore", ${RETURNED_LANE}`;
}

/** Resolves with the rows by place; undefined for an update whose job is under way no more. */
export async function record(session: Session, updates: Update[]): Promise<(Recorded | undefined)[]> {
  const statements = new Map<string, { text: string; given: object[] }>();
  const times = new Map<string, number>();
  for (const [n, update] of updates.entries()) {
    const { kind, job, set } = update;
    const names = namesOf(update);
    const name = `${kind} ${names}`;
    const text = texts.get(name) ?? textOf(kind, names);
    texts.set(name, text);
    // One statement changes a row once.
    const time = times.get(`${kind} ${job.id}`) ?? 0;
    times.set(`${kind} ${job.id}`, time + 1);
    const statement = statements.get(`${time} ${name}`) ?? { text, given: [] };
    statement.given.push({ ...set, n, key: job.id, was: job.fence, version: job.ackVersion ?? 0 });
    statements.set(`${time} ${name}`, statement);
  }
  const inTurn = [...statements].sort(([a], [b]) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  const rows = await Promise.all(
    inTurn.map(([, { text, given }]) => session.rows<Recorded>(text, { given: records(given) })),
  );
  const recorded: (Recorded | undefined)[] = updates.map(() => undefined);
  for (const row of rows.flat()) recorded[row.n] = row;
  return recorded;
}
