import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

// The tables of erasing, as those of schema.ts.

/** What remains of erased messages, customers and accounts: hashes of their keys and ids, so that nothing brings them back. */
export const erased = sqliteTable(
  "erased",
  {
    channelId: text("channel_id").notNull(),
    hash: text().notNull(),
    at: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.channelId, t.hash] })],
);

/** Erasures under way; sealed, since each names whom it erases. The counts are of what is gone so far. */
export const erasures = sqliteTable("erasure", {
  id: text().primaryKey(),
  sealed: text().notNull(),
  messages: integer().notNull().default(0),
  files: integer().notNull().default(0),
  webhooks: integer().notNull().default(0),
  notes: integer().notNull().default(0),
});

/** People who asked at their messenger for the erasure of their data. */
export const erasureRequests = sqliteTable("erasure_request", {
  /** Fingerprint of the code under which they see its state. */
  id: text().primaryKey(),
  kind: text().notNull(),
  /** The customer's id; NULL once done. */
  sealed: text(),
  createdAt: integer("created_at").notNull(),
  doneAt: integer("done_at"),
});
