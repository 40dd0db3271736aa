import { and, asc, between, gt, sql } from "drizzle-orm";
import type { AccountId } from "../../../domain/ids.ts";
import type { KeptWebhook, RawWebhookStore } from "../../messages.ts";
import { type Address, ifOpens, type Sealer } from "../../secrets.ts";
import type { Database } from "../database/db.ts";
import { rawWebhooks } from "../database/schema.ts";
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

/**
 * Removes some webhooks from the rows after `after` and seals the rest again. Within a write. Rows that do not open stay, as
 * nobody can read them.
 */
export function rewriteRaw(
  { sqlite }: Database,
  sealer: Sealer,
  isRemoved: (webhook: SealedWebhook) => boolean,
  { after, limit = -1 }: { after: number; limit?: number },
): { count: number; last?: number } {
  const rows = sqlite
    .prepare<[number, number], Row>(
      "SELECT id, sealed, received_at AS receivedAt FROM raw_webhook WHERE id > ? ORDER BY id LIMIT ?",
    )
    .all(after, limit);
  const update = sqlite.prepare("UPDATE raw_webhook SET sealed = ? WHERE id = ?");
  const remove = sqlite.prepare("DELETE FROM raw_webhook WHERE id = ?");
  let count = 0;
  for (const row of rows) {
    const all = open(sealer, row) ?? [];
    const kept = all.filter((webhook) => !isRemoved(webhook));
    if (kept.length === all.length) continue;
    count += all.length - kept.length;
    if (kept.length === 0) remove.run(row.id);
    else update.run(sealer.seal(JSON.stringify(kept), addressOf(row)), row.id);
  }
  return { count, last: rows.at(-1)?.id };
}

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  insert: orm
    .insert(rawWebhooks)
    .values({ sealed: at("sealed"), receivedAt: at("receivedAt") })
    .prepare(),
});
