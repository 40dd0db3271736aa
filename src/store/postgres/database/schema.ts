import {
  type AnyPgColumn,
  bigint,
  customType,
  foreignKey,
  index,
  type PgTable,
  pgTable,
  primaryKey,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { VISITED } from "../../tables/accounts/ledger.ts";
import * as sqlite from "../../tables/schema.ts";

// PostgreSQL's tables, for `drizzle-kit generate`. Derived from those in `tables/`: both engines have the same.

type Columns = [AnyPgColumn, ...AnyPgColumn[]];

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });
/** Compared byte by byte, as in SQLite, whatever the language of the database. */
const text = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' });

function columnOf(column: SQLiteColumn) {
  const { name, notNull, primary, default: value } = column;
  if ("autoIncrement" in column && column.autoIncrement)
    return bigint(name, { mode: "number" }).primaryKey().generatedByDefaultAsIdentity();
  const made = column.getSQLType() === "text" ? text(name) : bigint(name, { mode: "number" });
  if (value !== undefined) made.default(value as never);
  if (notNull) made.notNull();
  return primary ? made.primaryKey() : made;
}

const rowNumber = () => bigint("rowid", { mode: "number" }).generatedByDefaultAsIdentity();

const made = new Map<string, PgTable>();

function tableOf(source: SQLiteTable): PgTable {
  const { name, columns, indexes, primaryKeys, foreignKeys } = getTableConfig(source);
  const isVisited = VISITED.has(name);
  const described = Object.fromEntries(columns.map((column) => [column.name, columnOf(column)]));
  const table = pgTable(name, isVisited ? { ...described, rowid: rowNumber() } : described, (own) => {
    const of = (list: unknown[]) => list.map((each) => own[(each as SQLiteColumn).name]) as unknown[] as Columns;
    return [
      ...(isVisited ? [uniqueIndex(`${name}_rowid`).on(...of([{ name: "rowid" }]))] : []),
      ...indexes.map(({ config }) => {
        const on = (config.unique ? uniqueIndex : index)(config.name).on(...of(config.columns));
        return config.where ? on.where(config.where) : on;
      }),
      ...primaryKeys.map((key) => primaryKey({ columns: of(key.columns) })),
      ...foreignKeys.map((key) => {
        const { columns: from, foreignColumns: to, foreignTable } = key.reference();
        const there = made.get(getTableConfig(foreignTable as SQLiteTable).name) as unknown as typeof own;
        const foreignColumns = to.map((each) => there[each.name]) as unknown[] as Columns;
        return foreignKey({ columns: of(from), foreignColumns }).onDelete(key.onDelete ?? "no action");
      }),
    ];
  });
  made.set(name, table);
  return table;
}

export const meta = tableOf(sqlite.meta);
export const accounts = tableOf(sqlite.accounts);
export const accountLeases = tableOf(sqlite.accountLeases);
export const channels = tableOf(sqlite.channels);
export const messages = tableOf(sqlite.messages);
export const parts = tableOf(sqlite.parts);
export const chats = tableOf(sqlite.chats);
export const tallies = tableOf(sqlite.tallies);
export const traffic = tableOf(sqlite.traffic);
export const rawWebhooks = tableOf(sqlite.rawWebhooks);
export const parked = tableOf(sqlite.parked);
export const audit = tableOf(sqlite.audit);
export const notes = tableOf(sqlite.notes);
export const journal = tableOf(sqlite.journal);
export const keptFiles = tableOf(sqlite.keptFiles);
export const keptSums = tableOf(sqlite.keptSums);
export const webSessions = tableOf(sqlite.webSessions);
export const vendorEvents = tableOf(sqlite.vendorEvents);
export const apiTokens = tableOf(sqlite.apiTokens);
export const erased = tableOf(sqlite.erased);
export const erasures = tableOf(sqlite.erasures);
export const erasureRequests = tableOf(sqlite.erasureRequests);

/** Processes that run on the database. */
export const members = pgTable("member", {
  owner: text().primaryKey(),
  /** When the others may take its accounts, ms, by the database's clock. */
  expiresAt: bigint("expires_at", { mode: "number" }).notNull(),
  /** The newest migration that its program knows. */
  knows: text().notNull().default(""),
  /** A value that it has sealed with the first key of its ring. */
  sealing: text().notNull().default(""),
});

const accountId = () => (accounts as unknown as Record<"id", AnyPgColumn>).id;

/** Shared permits in use: gateway calls by processes that do not hold the account. */
export const guestCalls = pgTable(
  "guest_call",
  {
    accountId: text("account_id").notNull().references(accountId, { onDelete: "cascade" }),
    place: bigint({ mode: "number" }).notNull(),
    /** When the place is free, ms, by the database's clock. */
    freeAt: bigint("free_at", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.place] })],
);

/** Sealed texts that processes share, for minutes. */
export const remembered = pgTable(
  "remembered",
  {
    name: text().primaryKey(),
    accountId: text("account_id").notNull().references(accountId, { onDelete: "cascade" }),
    sealed: text().notNull(),
    /** Ms, by the database's clock. */
    expiresAt: bigint("expires_at", { mode: "number" }).notNull(),
  },
  (t) => [index("remembered_account").on(t.accountId), index("remembered_expires").on(t.expiresAt)],
);

/** The bytes of kept files. */
export const keptChunks = pgTable(
  "kept_chunk",
  {
    fileId: text("file_id").notNull(),
    part: bigint({ mode: "number" }).notNull(),
    bytes: bytes().notNull(),
    createdAt: bigint("created_at", { mode: "number" }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.fileId, t.part] })],
);

/** Files whose bytes are in a bucket, and objects there that may have to be removed. */
export const keptObjects = pgTable(
  "kept_object",
  {
    fileId: text("file_id").primaryKey(),
    /** The file's own key; NULL: the file was deleted. */
    sealed: text(),
    /** How many objects may be there. */
    parts: bigint({ mode: "number" }).notNull(),
    createdAt: bigint("created_at", { mode: "number" }).notNull(),
    rowid: rowNumber(),
  },
  (t) => [uniqueIndex("kept_object_rowid").on(t.rowid)],
);
