import { setImmediate } from "node:timers/promises";
import { all, type Engine, first, listed } from "../engine.ts";

// Large scans read rows in windows, with pauses for other work. A window ends early where its rows are large.

/** Rows read at once: a few milliseconds. */
const WINDOW = 250;
/** Bytes per window, checked after each row. One row may be as large as a webhook. */
const MAX_WINDOW_BYTES = 4 * 1024 * 1024;

/** Columns that `inBytes` adds. */
export interface Sized {
  windowKey: number;
  /** Bytes of the window up to and including this row. */
  windowBytes: number;
}

interface Bounded {
  table: string;
  /** Unique. */
  key: string;
  columns: string;
  where: string;
  /** SQL of a row's size. Use lengths only, so that neither engine reads large values. */
  bytes: string;
  limit: number;
  order?: "ASC" | "DESC";
}

/** SQL of the bytes of these columns. */
export const bytesOf = (...names: string[]): string =>
  names.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + ");

/** SQL of the first rows by key, at least one, up to MAX_WINDOW_BYTES. Reads lengths first, then only those rows. */
export const inBytes = ({ table, key, columns, where, bytes, limit, order = "ASC" }: Bounded): string =>
  `SELECT ${columns}, window_key AS "windowKey", window_bytes AS "windowBytes" FROM (
    SELECT window_key, row_bytes, sum(row_bytes) OVER (ORDER BY window_key ${order} ROWS UNBOUNDED PRECEDING) AS window_bytes
    FROM (SELECT ${key} AS window_key, ${bytes} AS row_bytes FROM ${table} WHERE ${where} ORDER BY ${key} ${order} LIMIT ${limit}) AS sizes
  ) AS sums JOIN ${table} ON ${table}.${key} = window_key
  WHERE window_bytes - row_bytes < ${MAX_WINDOW_BYTES} ORDER BY window_key ${order}`;

/** The last row of a window that was cut by size; undefined if it was not. */
export const cutAt = <T extends Sized>(rows: T[]): T | undefined => {
  const last = rows.at(-1);
  return last && last.windowBytes >= MAX_WINDOW_BYTES ? last : undefined;
};

interface Rows {
  table: string;
  /** Grows with each row. */
  key: string;
  columns: string;
  /** Columns that may be large. */
  large: string[];
  where?: string;
}

interface Which {
  /** Absent: all channels. */
  channelIds?: string[];
  /** Keys that a window spans. */
  rows?: number;
  /** Only rows whose key is lower. */
  before?: number;
}

/** Visits rows window by window, newest first, until `visit` returns false. */
export async function eachWindow<T>(
  { read }: Engine,
  { table, key, columns, large, where = "true" }: Rows,
  { channelIds, rows = WINDOW, before = Number.MAX_SAFE_INTEGER }: Which,
  visit: (rows: T[]) => unknown,
): Promise<void> {
  if (channelIds?.length === 0) return;
  const bounds = `SELECT min(${key}) AS low, max(${key}) AS high FROM ${table}`;
  const { low, high } = (await read(() => first<Record<"low" | "high", number | null>>(bounds))) ?? {};
  if (low == null || high == null) return;
  const { list, values } = listed(channelIds ?? []);
  const ofThese = channelIds ? `AND channel_id IN (${list})` : "";
  const spanned = `${key} <= @top AND ${key} > @bottom AND ${where} ${ofThese}`;
  const text = inBytes({ table, key, columns, where: spanned, bytes: bytesOf(...large), limit: rows, order: "DESC" });
  for (let top = Math.min(high, before - 1); top >= low; await setImmediate()) {
    const at = { ...values, top, bottom: top - rows };
    const found = await read(() => all<T & Sized>(text, at));
    if (found.length > 0 && (await visit(found)) === false) return;
    top = (cutAt(found)?.windowKey ?? top - rows + 1) - 1;
  }
}

/** The same for all rows, one by one. */
export const eachRow = <T>(engine: Engine, rows: Rows, channelIds: string[], visit: (row: T) => void): Promise<void> =>
  eachWindow<T>(engine, rows, { channelIds }, (window) => window.forEach(visit));

/** Pages of a query for rows after `@after`, by key, with pauses for other work. */
export async function* pagesOf<T extends object>(
  { read }: Engine,
  text: string,
  values: object,
  key: keyof T,
  first: unknown = Number.MIN_SAFE_INTEGER,
): AsyncGenerator<T[], void> {
  for (let after = first; ; await setImmediate()) {
    const at = { ...values, after };
    const page = await read(() => all<T>(text, at));
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last[key];
  }
}
