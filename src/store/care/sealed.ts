import { fingerprint } from "../../domain/ids.ts";
import { type Address, SealError, type Sealer } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";
import { ERASURE } from "../sqlite/database/erasing.ts";
import { PARKED } from "../tables/parked.ts";
import { REQUEST } from "./erasing/requests.ts";

/** A column of sealed values. */
export interface SealedColumn {
  table: string;
  /** SQL expression for the `row` of the address. */
  key: string;
  column: string;
  /** Limits the rows. */
  where?: string;
  /** Values may be hundreds of kilobytes: read and reseal few at once. */
  long?: true;
  /** Skip the table if it has this column: an older version, whose rows are no longer read. */
  unless?: string;
  address(key: string): Address;
}

const sealed = (table: string, column: string, name: string): SealedColumn => ({
  table,
  key: "id",
  column,
  address: (row) => ({ table, row, column: name }),
});

const meta = (row: string): SealedColumn => ({
  table: "meta",
  key: "key",
  column: "value",
  where: `key = '${row}'`,
  address: () => ({ table: "meta", row, column: "value" }),
});

/** Sealed by the server at each start; a ring that opens it has the server's key. */
export const SEALING = meta("sealing_key");
/** Must open at every start. Last in rotation: it keeps requiring the old key until no other value needs it. */
export const KEY_CHECK = meta("key_check");

export const SEALED_COLUMNS: SealedColumn[] = [
  sealed("account", "api_key_sealed", "api_key"),
  sealed("account", "client_id_sealed", "client_id"),
  sealed("account", "webhook_sealed", "webhook"),
  sealed("account", "gateway_token_sealed", "gateway_token"),
  sealed("channel", "door_sealed", "door"),
  sealed("channel", "settings_sealed", "settings"),
  {
    ...sealed("raw_webhook", "sealed", "sealed"),
    // The id is unknown when it is sealed.
    key: "CAST(received_at AS TEXT)",
    long: true,
    unless: "account_id",
  },
  { ...sealed(PARKED.table, PARKED.column, PARKED.column), long: true },
  { ...sealed(REQUEST.table, REQUEST.column, REQUEST.column), where: "sealed IS NOT NULL" },
  meta("erasure_key"),
  sealed(ERASURE.table, ERASURE.column, ERASURE.column),
  SEALING,
  KEY_CHECK,
];

const from = ({ table, where }: SealedColumn): string => `FROM "${table}" WHERE ${where ?? "true"}`;

/** Rows to take at once; `usual` applies to short values. */
export const rowsAtOnce = ({ long }: SealedColumn, usual: number): number => (long ? LONG_ROWS_AT_ONCE : usual);
const LONG_ROWS_AT_ONCE = 4;

/** The sealed columns that a database has; it may be of an older version. */
export function sealedIn({ sqlite }: Pick<Database, "sqlite">): SealedColumn[] {
  const columns = sqlite.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck();
  return SEALED_COLUMNS.filter(({ table, unless }) => {
    const names = columns.all(table);
    return names.length > 0 && (unless === undefined || !names.includes(unless));
  });
}

export interface SealedRow {
  rowid: number;
  key: string;
  value: string;
}

/** Rows after the rowid `after`, by rowid. */
export function sealedRows({ sqlite }: Pick<Database, "sqlite">, at: SealedColumn, after: number, limit: number) {
  const text = `SELECT rowid AS rowid, ${at.key} AS key, "${at.column}" AS value ${from(at)} AND rowid > ? ORDER BY rowid LIMIT ?`;
  return sqlite.prepare<[number, number], SealedRow>(text).all(after, limit);
}

const isNeeded = ({ table }: SealedColumn) => table === "account" || table === "channel";
/** A malformed value names no key and needs none. */
const namesKey = ({ column }: SealedColumn) => `"${column}" GLOB 'v1.?*.?*.?*'`;
const keyOf = ({ column }: SealedColumn) => `substr("${column}", 4, instr(substr("${column}", 4), '.') - 1)`;

/** Ids of the keys that accounts and channels need. Raw webhooks are many and not essential. */
export function neededKeys(db: Pick<Database, "sqlite">): Set<string> {
  const list = (text: string, ...values: unknown[]) => db.sqlite.prepare(text).pluck().all(values) as string[];
  const columns = sealedIn(db).filter(isNeeded);
  const passed = unopenable(db);
  const named = columns.flatMap((at) => list(`SELECT DISTINCT ${keyOf(at)} ${from(at)} AND ${namesKey(at)}`));
  // Among this many values at least one is not known as unopenable.
  const some = `LIMIT ${passed.size + 1}`;
  const opens = (id: string) =>
    columns
      .flatMap((at) => list(`SELECT "${at.column}" ${from(at)} AND ${namesKey(at)} AND ${keyOf(at)} = ? ${some}`, id))
      .some((value) => !passed.has(fingerprint(value)));
  return new Set(named.filter((id) => passed.size === 0 || opens(id)));
}

const UNOPENABLE_KEY = "passed_over";

/** Fingerprints of values that did not open with their own key during a rotation; they need no key. */
function unopenable({ sqlite }: Pick<Database, "sqlite">): Set<string> {
  const value = sqlite.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(UNOPENABLE_KEY) as
    | string
    | undefined;
  return new Set(value?.split(" ").filter(Boolean));
}

/** After a rotation: records values under old keys that do not open, so that they no longer require those keys. */
export function recordUnopenable({ sqlite }: Pick<Database, "sqlite">, sealer: Sealer, first: string): void {
  const passed = SEALED_COLUMNS.filter(isNeeded).flatMap((at) => {
    const text = `SELECT rowid AS rowid, ${at.key} AS key, "${at.column}" AS value ${from(at)} AND ${keyOf(at)} <> ?`;
    const left = sqlite.prepare<[string], SealedRow>(text).all(first);
    return left
      .filter(({ key, value }) => faultOf(sealer, value, at.address(key)))
      .map(({ value }) => fingerprint(value));
  });
  const text = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
  sqlite.prepare(text).run(UNOPENABLE_KEY, passed.join(" "));
}

/** Why a value does not open; undefined where it does. */
export function faultOf(sealer: Sealer, value: string, address: Address): string | undefined {
  try {
    sealer.open(value, address);
    return undefined;
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return error.message;
  }
}
