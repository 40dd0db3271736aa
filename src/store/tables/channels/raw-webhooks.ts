import { and, asc, between, gt } from "drizzle-orm";
import type { AccountId } from "../../../domain/ids.ts";
import type { KeptWebhook, RawWebhookStore } from "../../messages.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { all, type Engine, first, type Verb } from "../engine.ts";
import { rawWebhooks } from "../schema.ts";

export type RawRow = typeof rawWebhooks.$inferSelect;
export type SealedWebhook = KeptWebhook & { account: AccountId };

/** The row's id is unknown when it is sealed, so the address uses the time. */
export const addressOf = ({ receivedAt }: Pick<RawRow, "receivedAt">): Address => ({
  table: "raw_webhook",
  row: String(receivedAt),
  column: "sealed",
});

/** Body characters sealed together: reading one webhook loads them all. */
const MAX_BATCH_CHARACTERS = 256 * 1024;

/** The rows of webhooks that are stored together. */
export function* rowsOfRaw(sealer: Sealer, webhooks: SealedWebhook[]): Generator<Omit<RawRow, "id">> {
  let batch: SealedWebhook[] = [];
  let length = 0;
  const row = ([first]: SealedWebhook[]) =>
    first ? [{ receivedAt: first.receivedAt, sealed: sealer.seal(JSON.stringify(batch), addressOf(first)) }] : [];
  for (const webhook of webhooks) {
    if (length + webhook.raw.body.length > MAX_BATCH_CHARACTERS) {
      yield* row(batch);
      batch = [];
      length = 0;
    }
    batch.push(webhook);
    length += webhook.raw.body.length;
  }
  yield* row(batch);
}

/** Undefined when it does not open. */
export const openRaw = (sealer: Sealer, row: RawRow): SealedWebhook[] | undefined =>
  ifOpens(() => JSON.parse(sealer.open(row.sealed, addressOf(row))));

const LAST = "SELECT coalesce(max(id), 0) AS id FROM raw_webhook";
const NEXT = `SELECT id, sealed, received_at AS "receivedAt" FROM raw_webhook WHERE id > @after ORDER BY id LIMIT 1`;
const SAME = "id = @id AND sealed = @old RETURNING id";
const REMOVE = `DELETE FROM raw_webhook WHERE ${SAME}`;
const REPLACE = `UPDATE raw_webhook SET sealed = @sealed WHERE ${SAME}`;

/** The newest row's id; 0 when there is none. */
export function* lastRaw(): Verb<number> {
  return (yield* first<{ id: number }>(LAST))?.id ?? 0;
}

/** The row after `after` with its webhooks; none if it does not open, as nobody can read them. */
export function* nextRaw(sealer: Sealer, after: number): Verb<{ row: RawRow; all: SealedWebhook[] } | undefined> {
  const row = yield* first<RawRow>(NEXT, { after });
  return row && { row, all: openRaw(sealer, row) ?? [] };
}

/** What is left of a row, sealed; undefined: nothing. */
export const sealedRest = (sealer: Sealer, row: RawRow, kept: SealedWebhook[]): string | undefined =>
  kept.length === 0 ? undefined : sealer.seal(JSON.stringify(kept), addressOf(row));

/** Within a write; false if the row has changed since it was read. */
export function* replaceRaw({ id, sealed: old }: RawRow, sealed: string | undefined): Verb<boolean> {
  const same = { id, old };
  return (sealed === undefined ? yield* all(REMOVE, same) : yield* all(REPLACE, { ...same, sealed })).length === 1;
}

/** Times within one row differ little unless the clock was set; ms. */
const SLACK_MS = 3_600_000;

/** `sealer` must not feed the log's mask: raw webhooks are customers' text, not secrets. */
export function rawWebhookStore({ read }: Engine, sealer: Sealer): RawWebhookStore {
  return {
    list: async (accountId, { from, to, after = 0 }, rows) => {
      const { id, receivedAt } = rawWebhooks;
      // No index on time: a replay is rare and can afford a scan of a few days.
      const isNear = and(gt(id, after), between(receivedAt, from - SLACK_MS, to + SLACK_MS));
      const found = await read(({ orm }) =>
        all(orm.select().from(rawWebhooks).where(isNear).orderBy(asc(id)).limit(rows)),
      );
      const opened = found.map((row) => ({ row, all: openRaw(sealer, row) }));
      const isWanted = ({ account, receivedAt }: SealedWebhook) =>
        account === accountId && receivedAt >= from && receivedAt < to;
      return {
        webhooks: opened.flatMap(({ all }) => all?.filter(isWanted).map(({ account: _, ...kept }) => kept) ?? []),
        unreadable: opened.flatMap(({ row, all }) => (all ? [] : [{ row: row.id, at: row.receivedAt }])),
        next: found.length === rows ? found.at(-1)?.id : undefined,
      };
    },
  };
}
