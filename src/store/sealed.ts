import type { Database } from "./db.ts";
import type { Place } from "./secrets.ts";

/** A column of sealed values; the place of each is bound into its seal. */
export interface SealedColumn {
  table: string;
  /** What names the row in the seal, as SQL. */
  key: string;
  column: string;
  /** Only these rows. */
  where?: string;
  /** Its values may be hundreds of kilobytes: few are read, and sealed anew, at once. */
  long?: true;
  /** Not where the table has this column: then it is of an older version, whose rows nobody reads any more. */
  unless?: string;
  place(key: string): Place;
}

const sealed = (table: string, column: string, name: string): SealedColumn => ({
  table,
  key: "id",
  column,
  place: (row) => ({ table, row, column: name }),
});

const meta = (row: string): SealedColumn => ({
  table: "meta",
  key: "key",
  column: "value",
  where: `key = '${row}'`,
  place: () => ({ table: "meta", row, column: "value" }),
});

/** What the key that the server seals with has sealed at its start: who opens it has the very same key. */
export const SEALING = meta("sealing_key");
/** The value that must open at every start; it comes last, so that it needs the old key until no other does. */
export const KEY_CHECK = meta("key_check");

/** Every sealed value of the database stands in one of these. */
export const SEALED: SealedColumn[] = [
  sealed("account", "api_key_sealed", "api_key"),
  sealed("account", "client_id_sealed", "client_id"),
  sealed("account", "webhook_sealed", "webhook"),
  sealed("account", "gateway_token_sealed", "gateway_token"),
  sealed("channel", "door_sealed", "door"),
  sealed("channel", "settings_sealed", "settings"),
  {
    ...sealed("raw_webhook", "sealed", "sealed"),
    // The id was not known yet when it was sealed.
    key: "CAST(received_at AS TEXT)",
    long: true,
    unless: "account_id",
  },
  SEALING,
  KEY_CHECK,
];

/** The id of the key that sealed a value. */
export const keyIdOf = (value: string): string => value.split(".")[1] ?? "";

const from = ({ table, where }: SealedColumn): string => `FROM "${table}" WHERE ${where ?? "true"}`;

/** How many of a column's rows to take at once, where `usual` is for short values. */
export const rowsAtOnce = ({ long }: SealedColumn, usual: number): number => (long ? LONG_AT_ONCE : usual);
const LONG_AT_ONCE = 4;

/** What of `SEALED` a database has, also one of an older version. */
export function sealedIn({ sqlite }: Pick<Database, "sqlite">): SealedColumn[] {
  const columns = sqlite.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck();
  return SEALED.filter(({ table, unless }) => {
    const names = columns.all(table);
    return names.length > 0 && (unless === undefined || !names.includes(unless));
  });
}

export interface SealedRow {
  rowid: number;
  key: string;
  value: string;
}

/** Rows of a column after a place in the table, in its order. */
export function sealedRows({ sqlite }: Pick<Database, "sqlite">, at: SealedColumn, after: number, most: number) {
  const text = `SELECT rowid AS rowid, ${at.key} AS key, "${at.column}" AS value ${from(at)} AND rowid > ? ORDER BY rowid LIMIT ?`;
  return sqlite.prepare<[number, number], SealedRow>(text).all(after, most);
}

/** Ids of the keys that accounts and channels need; kept webhooks are many, and their loss stops nobody. */
export function neededKeys({ sqlite }: Pick<Database, "sqlite">): Set<string> {
  const columns = sealedIn({ sqlite }).filter(({ table }) => table === "account" || table === "channel");
  // What is no sealed value needs no key: it costs only its own row.
  const ids = columns.flatMap((column) =>
    sqlite
      .prepare(
        `SELECT DISTINCT substr("${column.column}", 4, instr(substr("${column.column}", 4), '.') - 1) ${from(column)}
          AND "${column.column}" GLOB 'v1.?*.?*.?*'`,
      )
      .pluck()
      .all(),
  );
  return new Set(ids as string[]);
}
