import { sql } from "drizzle-orm";
import type { Sealer } from "../../secrets.ts";
import { addressOf, openRaw, type RawRow, rowsOfRaw, type SealedWebhook } from "../../tables/raw-webhooks.ts";
import { rawWebhooks } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

export function keepRaw(db: Database, sealer: Sealer, webhooks: SealedWebhook[]): void {
  for (const row of rowsOfRaw(sealer, webhooks)) db.statements(statements).insert.run(row);
}

/** The newest row's id; 0 when there is none. */
export const lastRaw = ({ sqlite }: Database): number =>
  sqlite.prepare("SELECT coalesce(max(id), 0) FROM raw_webhook").pluck().get() as number;

const NEXT = "SELECT id, sealed, received_at AS receivedAt FROM raw_webhook WHERE id > ? ORDER BY id LIMIT 1";

/** The row after `after` with its webhooks; none if it does not open, as nobody can read them. */
export function nextRaw(
  db: Database,
  sealer: Sealer,
  after: number,
): { row: RawRow; all: SealedWebhook[] } | undefined {
  const row = db.prepared(NEXT).get(after) as RawRow | undefined;
  return row && { row, all: openRaw(sealer, row) ?? [] };
}

/** Seals what is left of a row. The result stores it, within a write; false if the row has changed since it was read. */
export function replacingRaw(db: Database, sealer: Sealer, row: RawRow, kept: SealedWebhook[]): () => boolean {
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
