import type { Candidate } from "../../outbox/accepting.ts";
import type { Sealer } from "../../secrets.ts";
import { all, type Verb } from "../../tables/engine.ts";
import { ALL, erasureKey, hashOf, type MessageKey, nameHash } from "../../tables/erasing/erased.ts";
import { type Covered, inclusion, pendingErasures } from "../../tables/erasing/erasures.ts";
import type { Session } from "../database/sessions.ts";
import type { PostgresLook } from "./looking.ts";
import { records, recordsOf } from "./records.ts";

// What was erased comes back only as a new conversation.

const PAIRS = `SELECT "channelId", hash FROM json_to_recordset(CAST(@hashes AS json)) AS asked ("channelId" text, hash text)`;
const FIND = `SELECT channel_id AS "channelId", hash FROM erased WHERE (channel_id, hash) IN (${PAIRS})`;
export const LIFT = `DELETE FROM erased WHERE (channel_id, hash) IN (${PAIRS})`;

interface Hash {
  channelId: string;
  hash: string;
}

export interface Erased {
  /** Candidates that must not be stored, by place. */
  candidates: Set<number>;
  /** Their keys, by channel. */
  keys: Set<string>;
  /** Channels of erased accounts. */
  channels: Set<string>;
  /** What is lifted by the others that are new, for `LIFT`. */
  liftedBy(candidates: number[]): Hash[];
}

const NONE: Erased = { candidates: new Set(), keys: new Set(), channels: new Set(), liftedBy: () => [] };

export async function findErased(
  session: Session,
  sealer: Sealer,
  candidates: Candidate[],
  looks: PostgresLook[],
): Promise<Erased> {
  const asked = [...candidates.keys()].filter((n) => looks[n]?.buries);
  if (asked.length === 0) return NONE;
  const key = await session.run(() => erasureKey(sealer));
  const of = (n: number) => candidates[n] as Candidate;
  const ownHash = (n: number): Hash[] => {
    const { channel, direction, key: dedupeKey } = of(n);
    if (key === undefined || dedupeKey === undefined) return [];
    return [{ channelId: channel.id, hash: hashOf(key, { channelId: channel.id, direction, dedupeKey }) }];
  };
  const wanted = asked.flatMap((n) => [...ownHash(n), { channelId: of(n).channel.id, hash: ALL }]);
  const found = await session.rows<Hash>(FIND, { hashes: JSON.stringify(wanted) });
  const names = new Set(found.map(({ channelId, hash }) => `${channelId} ${hash}`));
  const isFound = ({ channelId, hash }: Hash) => names.has(`${channelId} ${hash}`);
  const channels = new Set(found.flatMap(({ channelId, hash }) => (hash === ALL ? [channelId] : [])));
  const covered = await coveredOf(session, sealer, candidates, asked);
  const gone = asked.filter((n) => channels.has(of(n).channel.id) || ownHash(n).some(isFound) || covered.has(n));
  return {
    candidates: new Set(gone),
    keys: new Set(gone.map((n) => `${of(n).channel.id} ${of(n).key}`)),
    channels,
    liftedBy: (fresh) =>
      fresh.flatMap((n) => {
        const { channel, names: of = [] } = candidates[n] as Candidate;
        if (key === undefined || !looks[n]?.buries) return [];
        return of.map((name) => ({ channelId: channel.id, hash: nameHash(key, channel.id, name) }));
      }),
  };
}

const KNOWN = `SELECT n, id, message.channel_id AS "channelId", message.chat, carrier
  FROM message JOIN ${recordsOf("asked", ["channelId", "direction", "dedupeKey"], ["n"])}
    ON message.channel_id = asked."channelId" AND message.direction = asked.direction
    AND dedupe_key IS NOT NULL AND dedupe_key = asked."dedupeKey"`;

/** Repeats of messages that are being erased, by place. */
async function coveredOf(
  session: Session,
  sealer: Sealer,
  candidates: Candidate[],
  asked: number[],
): Promise<Set<number>> {
  const pending = await session.run(() => pendingErasures(sealer));
  if (pending.length === 0) return new Set();
  const keys = asked.map((n) => {
    const { channel, direction, key } = candidates[n] as Candidate;
    return { n, channelId: channel.id, direction, dedupeKey: key };
  });
  const rows = await session.rows<Covered & { n: number }>(KNOWN, { asked: records(keys) });
  const includes = pending.map((erasure) => inclusion(erasure.of));
  return new Set(rows.filter((row) => includes.some((is) => is(row))).map(({ n }) => n));
}

/** Without keys of erased messages. */
export function* withoutBuried(sealer: Sealer, of: Omit<MessageKey, "dedupeKey">, keys: string[]): Verb<string[]> {
  const { channelId } = of;
  const key = yield* erasureKey(sealer);
  const hashed = keys.map((dedupeKey) => ({
    dedupeKey,
    hash: key === undefined ? "" : hashOf(key, { ...of, dedupeKey }),
  }));
  const asked = [...hashed.map(({ hash }) => ({ channelId, hash })), { channelId, hash: ALL }];
  const found = yield* all<Hash>(FIND, { hashes: JSON.stringify(asked) });
  const buried = new Set(found.map(({ hash }) => hash));
  return buried.has(ALL) ? [] : hashed.filter(({ hash }) => !buried.has(hash)).map(({ dedupeKey }) => dedupeKey);
}
