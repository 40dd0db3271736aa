import type { ContentFigures } from "../../care.ts";
import { type Keys, unopened } from "../care/checks.ts";
import { all, first, type Verb } from "../engine.ts";

/** Conditions as in the partial indexes, so that only what waits or has ended badly is read. */
const JOBS = {
  waiting: `(SELECT count(*) FROM message WHERE state IN ('ready','sending','waiting'))
    + (SELECT count(*) FROM message WHERE ack IN ('due','sending'))`,
  held: "(SELECT count(*) FROM message WHERE (state IN ('held','dead') OR ack = 'refused') AND state = 'held')",
  dead: "(SELECT count(*) FROM message WHERE (state IN ('held','dead') OR ack = 'refused') AND state <> 'held')",
};
const COUNTS = `SELECT ${Object.entries(JOBS).map(([name, number]) => `${number} AS ${name}`)},
  (SELECT count(*) FROM parked WHERE channel_id IS NOT NULL) AS "ofChannels",
  (SELECT count(*) FROM parked WHERE channel_id IS NULL) AS strangers,
  (SELECT min(created_at) FROM message WHERE state IN ('ready','sending','waiting')) AS oldest`;

/** The last rows of each growing table: a clock that ran ahead shows in them. */
const lastIn = (table: string, key: string, time: string) =>
  `SELECT max(at) AS at FROM (SELECT ${time} AS at FROM ${table} ORDER BY ${key} DESC LIMIT 100) AS last`;
const NEWEST = [
  lastIn("message", "id", "created_at"),
  lastIn("journal", "position", "created_at"),
  lastIn("audit", "id", "at"),
];

const TROUBLED = `SELECT id, account_id AS "accountId", name, state, coalesce(trouble, '') AS trouble FROM channel
  WHERE state <> 'removed' AND (state = 'stopped' OR trouble IS NOT NULL) ORDER BY id LIMIT 100`;

type Counts = ContentFigures["jobs"] & ContentFigures["parked"] & { oldest: number | null };

/** What an operator looks at, of whichever engine. */
export function* contentFigures(of: Keys): Verb<ContentFigures> {
  const { waiting, held, dead, ofChannels, strangers, oldest } = (yield* first<Counts>(COUNTS)) as Counts;
  return {
    jobs: { waiting, held, dead },
    parked: { ofChannels, strangers },
    oldestWaiting: oldest ?? undefined,
    newest: yield* newest(),
    unopened: yield* unopened(of),
    troubled: yield* all<ContentFigures["troubled"][number]>(TROUBLED),
  };
}

function* newest(): Verb<number | undefined> {
  const times: number[] = [];
  for (const text of NEWEST) {
    const at = (yield* first<{ at: number | null }>(text))?.at ?? null;
    if (at !== null) times.push(at);
  }
  return times.length === 0 ? undefined : Math.max(...times);
}
