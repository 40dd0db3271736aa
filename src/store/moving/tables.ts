import { isTable } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { VISITED } from "../tables/accounts/visited.ts";
import { all, type Verb } from "../tables/engine.ts";
import * as erasing from "../tables/erasing/erasure-schema.ts";
import * as main from "../tables/schema.ts";

// Tables as they are moved between engines: both have the same columns.

export interface MovedTable {
  name: string;
  columns: string[];
  /** Columns of the primary key. */
  key: string[];
  /** The key is a number from the table's own sequence. */
  numbered: boolean;
  /** By which its rows are read: in the order of their making, where that is known. */
  order: string[];
}

export type Row = Record<string, unknown>;

/** Rows that belong to a database itself; sums that triggers make. */
const OWN_META = ["starts", "traces", "ping", "backup_at", "leaving", "moving", "moved", "clock"];
const DERIVED = ["kept_sum"];

const nameOf = (table: SQLiteTable): string => getTableConfig(table).name;

/** Sorted by name, each after the tables that it refers to: a namespace's own order differs between runtimes. */
function byReference(tables: SQLiteTable[]): SQLiteTable[] {
  const sorted = new Set<SQLiteTable>();
  const add = (table: SQLiteTable) => {
    for (const key of getTableConfig(table).foreignKeys) add(key.reference().foreignTable as SQLiteTable);
    sorted.add(table);
  };
  for (const table of [...tables].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))) add(table);
  return [...sorted];
}

function describe(table: SQLiteTable): MovedTable {
  const { name, columns, primaryKeys } = getTableConfig(table);
  const own = columns.filter(({ primary }) => primary);
  const key = (primaryKeys[0]?.columns ?? own).map((column) => column.name);
  const numbered = own.some((column) => "autoIncrement" in column && column.autoIncrement === true);
  const order = VISITED.has(name) ? ["rowid"] : key;
  return { name, columns: columns.map((column) => column.name), key, numbered, order };
}

export const MOVED: MovedTable[] = byReference(
  [...Object.values(main), ...Object.values(erasing)].filter((each) => isTable(each)) as SQLiteTable[],
)
  .map(describe)
  .filter(({ name }) => !DERIVED.includes(name));

/** Rows read, and stored, at once. */
export const AT_ONCE = 100;

const scope = ({ name }: MovedTable): string =>
  name === "meta" ? `key NOT IN (${OWN_META.map((key) => `'${key}'`)})` : "true";

/** The next rows in order. */
export function next(table: MovedTable, after: Row | undefined): Verb<Row[]> {
  const { name, columns, order } = table;
  const beyond = after ? ` AND (${order}) > (${order.map((column) => `@${column}`)})` : "";
  const seen = [...new Set([...columns, ...order])];
  const text = `SELECT ${seen} FROM ${name} WHERE ${scope(table)}${beyond} ORDER BY ${order} LIMIT ${AT_ONCE}`;
  return all<Row>(text, after);
}

/** Stores rows; those that are there already stay. */
export function* store({ name, columns }: MovedTable, rows: Row[]): Verb<void> {
  const values: Row = {};
  const lists = rows.map((row, n) => {
    for (const column of columns) values[`${column}_${n}`] = row[column];
    return `(${columns.map((column) => `@${column}_${n}`)})`;
  });
  yield { query: `INSERT INTO ${name} (${columns}) VALUES ${lists} ON CONFLICT DO NOTHING`, values, rows: false };
}

export function* count(table: MovedTable): Verb<number> {
  const [row] = yield* all<{ count: number }>(`SELECT count(*) AS count FROM ${table.name} WHERE ${scope(table)}`);
  return row?.count ?? 0;
}

/** The largest number there is; undefined when there is none. */
export function* newest({ name, key }: MovedTable): Verb<Row | undefined> {
  const [row] = yield* all<{ newest: number | null }>(`SELECT max(${key}) AS newest FROM ${name}`);
  return row?.newest == null ? undefined : { [String(key)]: row.newest };
}
