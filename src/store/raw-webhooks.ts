import { and, asc, eq, gt, gte, lt, or, sql } from "drizzle-orm";
import type { AccountId, ChannelId } from "../domain/ids.ts";
import type { RawWebhook } from "../domain/raw-webhook.ts";
import type { Database, Orm } from "./db.ts";
import { rawWebhooks } from "./schema.ts";
import { type Place, SealError, type Sealer } from "./secrets.ts";

type Row = typeof rawWebhooks.$inferSelect;

export interface KeptWebhook {
  id: number;
  channelId: ChannelId;
  source: Row["source"];
  receivedAt: number;
  /** Absent when it does not open any more. */
  raw?: RawWebhook;
}

/** Webhooks as they came, for some days. They are written by the outbox, with what they brought. */
export interface RawWebhookStore {
  /** Those of `from` <= time < `to`, ms, in the order in which they came; those after `after`, when it is given. */
  list(
    accountId: AccountId,
    window: { from: number; to: number; after?: Pick<KeptWebhook, "id" | "receivedAt"> },
    most: number,
  ): Promise<KeptWebhook[]>;
}

/** Its id is not known before it is written, so the seal names all other columns: moved to another account or time it does not open. */
export const placeOf = (row: Pick<Row, "accountId" | "channelId" | "source" | "receivedAt">): Place => ({
  table: "raw_webhook",
  row: JSON.stringify([row.accountId, row.channelId, row.source, row.receivedAt]),
  column: "sealed",
});

/** `sealer` must tell nobody what it seals: these are words of customers, which the log's mask need not know. */
export function rawWebhookStore(db: Database, sealer: Sealer): RawWebhookStore {
  const toKept = (row: Row): KeptWebhook => ({
    id: row.id,
    channelId: row.channelId as ChannelId,
    source: row.source,
    receivedAt: row.receivedAt,
    raw: opened(sealer, row),
  });
  return {
    list: async (accountId, { from, to, after }, most) => {
      const { receivedAt } = rawWebhooks;
      const next = after && or(gt(receivedAt, after.receivedAt), gt(rawWebhooks.id, after.id));
      return db.orm
        .select()
        .from(rawWebhooks)
        .where(
          and(
            eq(rawWebhooks.accountId, accountId),
            gte(receivedAt, after?.receivedAt ?? from),
            lt(receivedAt, to),
            next,
          ),
        )
        .orderBy(asc(receivedAt), asc(rawWebhooks.id))
        .limit(most)
        .all()
        .map(toKept);
    },
  };
}

function opened(sealer: Sealer, row: Row): RawWebhook | undefined {
  try {
    return JSON.parse(sealer.open(row.sealed, placeOf(row))) as RawWebhook;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return undefined;
  }
}

export function keepRaw(
  db: Database,
  sealer: Sealer,
  row: Pick<Row, "accountId" | "channelId" | "source" | "receivedAt">,
  raw: RawWebhook,
): void {
  db.statements(statements).insert.run({ ...row, sealed: sealer.seal(JSON.stringify(raw), placeOf(row)) });
}

const at = sql.placeholder;
const statements = (orm: Orm) => ({
  insert: orm
    .insert(rawWebhooks)
    .values({
      accountId: at("accountId"),
      channelId: at("channelId"),
      source: at("source"),
      sealed: at("sealed"),
      receivedAt: at("receivedAt"),
    })
    .prepare(),
});
