import type { Job } from "../../../domain/delivery.ts";
import { columns } from "../../tables/engine.ts";
import { type MessageRow, messages } from "../../tables/schema.ts";
import { NOW } from "../leases.ts";
import type { Session } from "../sessions.ts";
import { columnOf, type MessageColumn, records, recordsOf } from "./records.ts";

// What becomes of a job is an update of its row. Of one batch, updates of the same columns are one statement. Each checks
// that the job is still under way under its fence: the next holder of the lease changes the fence of all that it takes over.

/** Of which part of a row, and in which state, an update is. */
type Kind = "message" | "ack" | "overdue";

export interface Update {
  kind: Kind;
  job: Pick<Job, "id" | "fence" | "ackVersion">;
  set: Partial<MessageRow>;
}

const CURRENT: Record<Kind, string> = {
  message: "message.state = 'sending' AND message.fence = given.was",
  ack: "message.ack = 'sending' AND message.ack_fence = given.was AND message.ack_version = given.version",
  overdue: "message.state IN ('ready','waiting') AND message.deadline_at <= given.was",
};

/** An id that another message has: that one keeps it, as after a restored backup, or when a messenger echoes our own message. */
const unlessTaken = (name: "gatewayMessageId" | "messengerMessageId") => `CASE WHEN EXISTS (SELECT FROM message AS other
  WHERE other.channel_id = message.channel_id AND other.${columnOf(name)} = given."${name}")
  THEN message.${columnOf(name)} ELSE given."${name}" END`;
/** Failed tries kept: the first and the latest. */
const MAX_TRIES = 10;
const tried = (
  name: "tries" | "ackTries",
) => `CASE WHEN given."${name}" IS NULL THEN message.${columnOf(name)} ELSE CAST((
  CASE WHEN json_array_length(CAST(message.${columnOf(name)} AS json)) >= ${MAX_TRIES}
    THEN CAST(message.${columnOf(name)} AS jsonb) - 1 ELSE coalesce(CAST(message.${columnOf(name)} AS jsonb), '[]') END
  || jsonb_build_array(jsonb_build_array(given."updatedAt", given."${name}"))) AS text) END`;
/** An ack leaves with its message's end only under the lease. */
const LEAVES = `EXISTS (SELECT FROM account_lease JOIN member ON member.owner = account_lease.owner
    JOIN account ON account.id = account_lease.account_id
  WHERE account_lease.account_id = message.account_id AND account_lease.fence = given."ackFence"
    AND member.expires_at > ${NOW} AND active <> 0 AND frozen = 0 AND rest_until <= given."updatedAt")`;
const ifLeaving = (then: string, otherwise: string) => `CASE WHEN ${LEAVES} THEN ${then} ELSE ${otherwise} END`;
const EXPRESSIONS: Partial<Record<MessageColumn, string>> = {
  gatewayMessageId: unlessTaken("gatewayMessageId"),
  messengerMessageId: unlessTaken("messengerMessageId"),
  tries: tried("tries"),
  ackTries: tried("ackTries"),
  // Of a stopped channel it waits for a person. If that was resumed or removed meanwhile, it runs again.
  state: `CASE WHEN given.state = 'waiting' AND NOT EXISTS (
    SELECT FROM channel WHERE id = message.channel_id AND channel.state = 'stopped') THEN 'ready' ELSE given.state END`,
};
/** A new debt replaces an older one. */
const DEBT: Partial<Record<MessageColumn, string>> = { ackVersion: "message.ack_version + 1" };
const LEAVING: Partial<Record<MessageColumn, string>> = {
  ...DEBT,
  ack: ifLeaving("'sending'", "'due'"),
  ackAttempts: ifLeaving("1", "0"),
};
/** A live message's times are those of its own delivery. */
const OF_ACK: Partial<Record<MessageColumn, string>> = {
  updatedAt: `CASE WHEN message.state IN ('ready','sending','waiting') THEN message.updated_at ELSE given."updatedAt" END`,
  crashes: "coalesce(given.crashes, message.crashes)",
  fatalCrashes: `coalesce(given."fatalCrashes", message.fatal_crashes)`,
};

const RETURNED = [
  ...([
    "id",
    "accountId",
    "channelId",
    "direction",
    "kind",
    "chat",
    "events",
    "state",
    "head",
    "known",
    "runAt",
  ] as const),
  ...([
    "ack",
    "ackVersion",
    "ackAttempts",
    "ackAt",
    "ackDeadlineAt",
    "ackFence",
    "crashes",
    "fatalCrashes",
    "updatedAt",
  ] as const),
] as const;
export type Recorded = Pick<MessageRow, (typeof RETURNED)[number]> & {
  n: number;
  ackBefore: MessageRow["ack"];
  /** Accepted events of its album's other parts. */
  carried: number;
};
const CARRIED = `CASE WHEN message.album IS NULL THEN 0
  ELSE (SELECT coalesce(sum(part.events), 0) FROM message AS part WHERE part.carrier = message.id) END AS carried`;
const returned = columns(messages, RETURNED).replaceAll(/(^|, )/g, "$1message.");

/** By kind and columns: each text is built once. */
const texts = new Map<string, string>();

function textOf(kind: Kind, names: MessageColumn[]): string {
  const ofDebt = names.includes("ackFence") ? LEAVING : DEBT;
  const own = kind === "ack" ? OF_ACK : ofDebt;
  const set = names.map((name) => `${columnOf(name)} = ${own[name] ?? EXPRESSIONS[name] ?? `given."${name}"`}`);
  return `WITH given AS (SELECT * FROM ${recordsOf("given", names, ["n", "key", "was", "version"])}), old AS MATERIALIZED (
      SELECT message.id, message.ack FROM message JOIN given ON given.key = message.id WHERE ${CURRENT[kind]}
      ORDER BY message.id FOR UPDATE OF message)
    UPDATE message SET ${set} FROM given JOIN old ON old.id = given.key WHERE message.id = given.key
    RETURNING given.n, old.ack AS "ackBefore", ${returned}, ${CARRIED}`;
}

/** Resolves with the rows by place; undefined for an update whose job is under way no more. */
export async function record(session: Session, updates: Update[]): Promise<(Recorded | undefined)[]> {
  const statements = new Map<string, { text: string; given: object[] }>();
  const times = new Map<string, number>();
  for (const [n, { kind, job, set }] of updates.entries()) {
    const names = (Object.keys(set) as MessageColumn[]).filter((name) => set[name] !== undefined);
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
