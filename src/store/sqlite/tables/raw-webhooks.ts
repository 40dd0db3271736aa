import { sql } from "drizzle-orm";
import type { Sealer } from "../../secrets.ts";
import { rowsOfRaw, type SealedWebhook } from "../../tables/channels/raw-webhooks.ts";
import { rawWebhooks } from "../../tables/schema.ts";
import type { Database } from "../database/db.ts";
import type { Orm } from "../database/statements.ts";

export function keepRaw(db: Database, sealer: Sealer, webhooks: SealedWebhook[]): void {
  for (const row of rowsOfRaw(sealer, webhooks)) db.statements(statements).insert.run(row);
}

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  insert: orm
    .insert(rawWebhooks)
    .values({ sealed: at("sealed"), receivedAt: at("receivedAt") })
    .prepare(),
});
