import { fingerprint } from "gangway-messenger/ids";
import { type Address, SealError, type Sealer } from "../../secrets.ts";
import { all, metaOf, run, setMeta, type Verb } from "../engine.ts";

/** A column of sealed values. */
export interface SealedColumn {
  table: string;
  /** SQL expression for the `row` of the address. */
  key: string;
  column: string;
  /** Column by which rows are visited in order of insertion. */
  number: string;
  /** Limits the rows. */
  where?: string;
  /** Values may be hundreds of kilobytes: read and reseal few at once. */
  long?: true;
  address(key: string): Address;
}

/** The column's name, in its table and in the address. */
export const PARKED = { table: "parked", column: "sealed" };
export const ERASURE = { table: "erasure", column: "sealed" };
export const REQUEST = { table: "erasure_request", column: "sealed" };

const sealed = (table: string, column: string, name: string): SealedColumn => ({
  table,
  key: "id",
  column,
  number: "rowid",
  address: (row) => ({ table, row, column: name }),
});

const meta = (row: string): SealedColumn => ({
  table: "meta",
  key: "key",
  column: "value",
  number: "rowid",
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
    // Addressed by time: the id is unknown when the value is sealed.
    key: "CAST(received_at AS TEXT)",
    number: "id",
    long: true,
  },
  { ...sealed(PARKED.table, PARKED.column, PARKED.column), number: "position", long: true },
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

export interface SealedRow {
  number: number;
  key: string;
  value: string;
}

/** Rows after the number `after`, in order. */
export function sealedRows(at: SealedColumn, after: number, limit: number): Verb<SealedRow[]> {
  const { number, key, column } = at;
  const text = `SELECT ${number} AS number, ${key} AS key, "${column}" AS value ${from(at)}
    AND ${number} > @after ORDER BY ${number} LIMIT ${limit}`;
  return all<SealedRow>(text, { after });
}

export function* sealAgain(sealer: Sealer, column: SealedColumn, { number, key, value }: SealedRow): Verb<void> {
  const at = column.address(key);
  const sealed = sealer.seal(sealer.open(value, at), at);
  yield* run(`UPDATE "${column.table}" SET "${column.column}" = @sealed WHERE ${column.number} = @number`, {
    sealed,
    number,
  });
}

/** Id of the key that sealed a value. */
export const keyIdOf = (value: string): string => value.split(".")[1] ?? "";

const isNeeded = ({ table }: SealedColumn) => table === "account" || table === "channel";
/** A malformed value names no key and needs none. */
const namesKey = ({ column }: SealedColumn) => `"${column}" LIKE 'v1._%._%._%'`;

/** Rows sealed with a key other than these; may include malformed values. */
const underOthers = (at: SealedColumn, ids: string[]) => ({
  text: [from(at), ...ids.map((id, n) => `substr("${at.column}", 4, ${id.length + 1}) <> @key${n}`)].join(" AND "),
  values: Object.fromEntries(ids.map((id, n) => [`key${n}`, `${id}.`])),
});

/** Ids of other keys than these that accounts and channels need. Skips raw webhooks, which are not essential. */
export function* lackingKeys(known: string[], columns = SEALED_COLUMNS): Verb<string[]> {
  const passed = yield* unopenable();
  const lacking: string[] = [];
  for (const at of columns.filter(isNeeded))
    for (;;) {
      const { text, values } = underOthers(at, [...known, ...lacking]);
      // Read one more than are known as unopenable: at least one of them is not.
      const some = `SELECT "${at.column}" AS value ${text} AND ${namesKey(at)} LIMIT ${passed.size + 1}`;
      const found = (yield* all<{ value: string }>(some, values)).find(({ value }) => !passed.has(fingerprint(value)));
      if (!found) break;
      lacking.push(keyIdOf(found.value));
    }
  return lacking;
}

const UNOPENABLE_KEY = "passed_over";

/** Fingerprints of values that did not open with their own key during a rotation; they need no key. */
function* unopenable(): Verb<Set<string>> {
  return new Set((yield* metaOf(UNOPENABLE_KEY))?.split(" ").filter(Boolean));
}

/** After a rotation: records values under old keys that do not open, so that they no longer require those keys. */
export function* recordUnopenable(sealer: Sealer, firstKey: string): Verb<void> {
  const passed: string[] = [];
  for (const at of SEALED_COLUMNS.filter(isNeeded)) {
    const { text, values } = underOthers(at, [firstKey]);
    for (const { key, value } of yield* all<SealedRow>(
      `SELECT ${at.key} AS key, "${at.column}" AS value ${text}`,
      values,
    ))
      if (faultOf(sealer, value, at.address(key))) passed.push(fingerprint(value));
  }
  yield* setMeta(UNOPENABLE_KEY, passed.join(" "));
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

const CHANNELS = "SELECT id FROM channel WHERE account_id = @accountId";

/** Ids of all channels of an account, removed ones included. */
export function* channelsOf(accountId: string): Verb<string[]> {
  const rows = yield* all<{ id: string }>(CHANNELS, { accountId });
  return rows.map(({ id }) => id);
}

/** JSON keys of technical values, which are not people's texts. */
const TECHNICAL = new Set(["type", "key", "originator", "ref", "mediaType", "language"]);

/** Whether one of the texts in the JSON contains this one, in lower case; keys and technical values do not count. */
export function says(payload: string, plain: string): boolean {
  // Fast path: search the raw JSON first; most rows do not match.
  if (!payload.toLocaleLowerCase().includes(JSON.stringify(plain).slice(1, -1))) return false;
  let found = false;
  try {
    JSON.parse(payload, (key, value) => {
      if (typeof value === "string" && !TECHNICAL.has(key)) found ||= value.toLocaleLowerCase().includes(plain);
      return value;
    });
  } catch {
    return false;
  }
  return found;
}
