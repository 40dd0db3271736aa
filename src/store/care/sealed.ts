import { fingerprint } from "../../domain/ids.ts";
import { type Address, SealError, type Sealer } from "../secrets.ts";
import type { Database } from "../sqlite/database/db.ts";

/** A column of sealed values; the address of each is bound into its seal. */
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

/** Rows of a column after a address in the table, in its order. */
export function sealedRows({ sqlite }: Pick<Database, "sqlite">, at: SealedColumn, after: number, most: number) {
  const text = `SELECT rowid AS rowid, ${at.key} AS key, "${at.column}" AS value ${from(at)} AND rowid > ? ORDER BY rowid LIMIT ?`;
  return sqlite.prepare<[number, number], SealedRow>(text).all(after, most);
}

const isNeeded = ({ table }: SealedColumn) => table === "account" || table === "channel";
/** What names no key needs none. */
const namesKey = ({ column }: SealedColumn) => `"${column}" GLOB 'v1.?*.?*.?*'`;
const keyOf = ({ column }: SealedColumn) => `substr("${column}", 4, instr(substr("${column}", 4), '.') - 1)`;

/** Ids of the keys that accounts and channels need; kept webhooks are many, and their loss stops nobody. */
export function neededKeys(db: Pick<Database, "sqlite">): Set<string> {
  const list = (text: string, ...values: unknown[]) => db.sqlite.prepare(text).pluck().all(values) as string[];
  const columns = sealedIn(db).filter(isNeeded);
  const passed = passedOver(db);
  const named = columns.flatMap((at) => list(`SELECT DISTINCT ${keyOf(at)} ${from(at)} AND ${namesKey(at)}`));
  // Of as many values as this, one at least was not passed over.
  const some = `LIMIT ${passed.size + 1}`;
  const opens = (id: string) =>
    columns
      .flatMap((at) => list(`SELECT "${at.column}" ${from(at)} AND ${namesKey(at)} AND ${keyOf(at)} = ? ${some}`, id))
      .some((value) => !passed.has(fingerprint(value)));
  return new Set(named.filter((id) => passed.size === 0 || opens(id)));
}

const PASSED = "passed_over";

/** Fingerprints of the values that did not open with the key they name when a rotation had it: they need no key. */
function passedOver({ sqlite }: Pick<Database, "sqlite">): Set<string> {
  const value = sqlite.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(PASSED) as string | undefined;
  return new Set(value?.split(" ").filter(Boolean));
}

/** At the end of a rotation: what is not sealed with its key and does not open needs the key that it names no more. */
export function passOver({ sqlite }: Pick<Database, "sqlite">, sealer: Sealer, first: string): void {
  const passed = SEALED.filter(isNeeded).flatMap((at) => {
    const text = `SELECT rowid AS rowid, ${at.key} AS key, "${at.column}" AS value ${from(at)} AND ${keyOf(at)} <> ?`;
    const left = sqlite.prepare<[string], SealedRow>(text).all(first);
    return left
      .filter(({ key, value }) => faultOf(sealer, value, at.address(key)))
      .map(({ value }) => fingerprint(value));
  });
  const text = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
  sqlite.prepare(text).run(PASSED, passed.join(" "));
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
