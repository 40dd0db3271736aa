import { setImmediate } from "node:timers/promises";
import { all, type Engine, first, type Verb } from "../engine.ts";

// No index knows who or what a text is about: rows are read in windows, with pauses for other work.

/** Rows read at once: a few milliseconds. */
const WINDOW = 250;

interface Rows {
  table: string;
  /** Grows with each row. */
  key: string;
  columns: string;
  where?: string;
}

/** Visits all rows of the channels, newest first, until `visit` is false. */
export async function eachRow<T>(
  { read }: Engine,
  { table, key, columns, where = "true" }: Rows,
  channelIds: string[],
  visit: (row: T) => unknown,
): Promise<void> {
  if (channelIds.length === 0) return;
  const bounds = `SELECT min(${key}) AS low, max(${key}) AS high FROM ${table}`;
  const { low, high } = (await read(() => first<Record<"low" | "high", number | null>>(bounds))) ?? {};
  if (low == null || high == null) return;
  const values = Object.fromEntries(channelIds.map((id, n) => [`channel${n}`, id]));
  const window = `SELECT ${columns} FROM ${table} WHERE ${key} <= @top AND ${key} > @bottom AND ${where}
    AND channel_id IN (${Object.keys(values).map((name) => `@${name}`)}) ORDER BY ${key} DESC`;
  for (let top = high; top >= low; top -= WINDOW, await setImmediate()) {
    const at = { ...values, top, bottom: top - WINDOW };
    for (const row of await read(() => all<T>(window, at))) if ((await visit(row)) === false) return;
  }
}

const CHANNELS = "SELECT id FROM channel WHERE account_id = @accountId";

/** Ids of all channels of an account, removed ones included. */
export function* channelsOf(accountId: string): Verb<string[]> {
  const rows = yield* all<{ id: string }>(CHANNELS, { accountId });
  return rows.map(({ id }) => id);
}

/** Keys of values that are not people's words. */
const TECHNICAL = new Set(["type", "key", "originator", "ref", "mediaType", "language"]);

/** Whether one of the texts in the JSON contains this one, in lower case; keys and technical values do not count. */
export function says(payload: string, plain: string): boolean {
  // As it is written within JSON: most do not contain it at all.
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
