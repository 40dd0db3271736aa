import { and, asc, between, gt, sql } from "drizzle-orm";
import type { AccountId } from "../../../domain/ids.ts";
import type { KeptWebhook, RawWebhookStore } from "../../messages.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import { rawWebhooks } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

type Row = typeof rawWebhooks.$inferSelect;

/** The row's id is unknown when it is sealed, so the address uses the time. */
const addressOf = ({ receivedAt }: Pick<Row, "receivedAt">): Address => ({
  table: "raw_webhook",
  row: String(receivedAt),
  column: "sealed",
});

/** Times within one row differ little unless the clock was set; ms. */
const SLACK_MS = 3_600_000;

/** `sealer` must not feed the log's mask: raw webhooks are customers' text, not secrets. */
export function rawWebhookStore(db: Database, sealer: Sealer): RawWebhookStore {
  return {
    list: async (accountId, { from, to, after = 0 }, rows) => {
      const { id, receivedAt } = rawWebhooks;
      // No index on time: a replay is rare and can afford a scan of a few days.
      const found = db.orm
        .select()
        .from(rawWebhooks)
        .where(and(gt(id, after), between(receivedAt, from - SLACK_MS, to + SLACK_MS)))
        .orderBy(asc(id))
        .limit(rows)
        .all();
      const opened = found.map((row) => ({ row, all: open(sealer, row) }));
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

export type SealedWebhook = KeptWebhook & { account: AccountId };

const open = (sealer: Sealer, row: Row): SealedWebhook[] | undefined =>
  ifOpens(() => JSON.parse(sealer.open(row.sealed, addressOf(row))));

/** Body characters sealed together: reading one webhook loads them all. */
const MAX_BATCH_CHARACTERS = 256 * 1024;

export function keepRaw(db: Database, sealer: Sealer, webhooks: SealedWebhook[]): void {
  let batch: SealedWebhook[] = [];
  let length = 0;
  const write = () => {
    const [first] = batch;
    if (!first) return;
    const { receivedAt } = first;
    db.statements(statements).insert.run({ receivedAt, sealed: sealer.seal(JSON.stringify(batch), addressOf(first)) });
    batch = [];
    length = 0;
  };
  for (const webhook of webhooks) {
    if (length + webhook.raw.body.length > MAX_BATCH_CHARACTERS) write();
    batch.push(webhook);
    length += webhook.raw.body.length;
  }
  write();
}

/** The newest row's id; 0 when there is none. */
export const lastRaw = ({ sqlite }: Database): number =>
  sqlite.prepare("SELECT coalesce(max(id), 0) FROM raw_webhook").pluck().get() as number;

const NEXT = "SELECT id, sealed, received_at AS receivedAt FROM raw_webhook WHERE id > ? ORDER BY id LIMIT 1";

/** The row after `after` with its webhooks; none if it does not open, as nobody can read them. */
export function nextRaw(db: Database, sealer: Sealer, after: number): { row: Row; all: SealedWebhook[] } | undefined {
  const row = db.prepared(NEXT).get(after) as Row | undefined;
  return row && { row, all: open(sealer, row) ?? [] };
}

/** Seals what is left of a row. The result stores it, within a write; false if the row has changed since it was read. */
export function replacingRaw(db: Database, sealer: Sealer, row: Row, kept: SealedWebhook[]): () => boolean {
  const same = "id = @id AND sealed = @old";
  const at = { id: row.id, old: row.sealed };
  if (kept.length === 0) return () => db.prepared(`DELETE FROM raw_webhook WHERE ${same}`).run(at).changes === 1;
  const sealed = sealer.seal(JSON.stringify(kept), addressOf(row));
  const update = `UPDATE raw_webhook SET sealed = @sealed WHERE ${same}`;
  return () => db.prepared(update).run({ ...at, sealed }).changes === 1;
}

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  insert: orm
    .insert(rawWebhooks)
    .values({ sealed: at("sealed"), receivedAt: at("receivedAt") })
    .prepare(),
});
