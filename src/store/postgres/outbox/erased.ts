import { ifOpens, type Sealer } from "../../secrets.ts";
import { ALL, ERASURE_KEY, hashOf, nameHash } from "../../tables/erased.ts";
import type { Session } from "../sessions.ts";
import type { Candidate, Look } from "./looking.ts";

// What was erased comes back only as a new conversation.

const KEY = "SELECT value FROM meta WHERE key = 'erasure_key'";
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
  looks: Look[],
): Promise<Erased> {
  const asked = [...candidates.keys()].filter((n) => looks[n]?.buries);
  if (asked.length === 0) return NONE;
  const [stored] = await session.rows<{ value: string }>(KEY);
  // One that does not open: then erased messages are not known, but others go on.
  const key = stored && ifOpens(() => sealer.open(stored.value, ERASURE_KEY));
  const of = (n: number) => candidates[n] as Candidate;
  const ownHash = (n: number): Hash[] => {
    const { channel, direction, key: dedupeKey } = of(n);
    if (key === undefined || dedupeKey === undefined) return [];
    return [{ channelId: channel.id, hash: hashOf(key, { channelId: channel.id, direction, dedupeKey }) }];
  };
  const all = asked.flatMap((n) => [...ownHash(n), { channelId: of(n).channel.id, hash: ALL }]);
  const found = await session.rows<Hash>(FIND, { hashes: JSON.stringify(all) });
  const names = new Set(found.map(({ channelId, hash }) => `${channelId} ${hash}`));
  const isFound = ({ channelId, hash }: Hash) => names.has(`${channelId} ${hash}`);
  const channels = new Set(found.flatMap(({ channelId, hash }) => (hash === ALL ? [channelId] : [])));
  const gone = asked.filter((n) => channels.has(of(n).channel.id) || ownHash(n).some(isFound));
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
