import { getTableColumns } from "drizzle-orm";
import type { MessageColumn } from "../../outbox/updates.ts";
import { messages } from "../../tables/schema.ts";
import { storedText } from "../database/texts.ts";

// Rows as one value of a statement: a transaction stores many messages with each.

const columns = getTableColumns(messages);

/** Half a character, which no text of PostgreSQL holds. */
const HALF = /\p{Surrogate}/gu;

/** Rows for `recordsOf`. */
export const records = (rows: object[]): string =>
  JSON.stringify(rows, (_, value) => (typeof value === "string" ? storedText(value.replace(HALF, "\uFFFD")) : value));

/** What a statement selects from: the rows of a value by the names of a message's columns, and others that are numbers. */
export function recordsOf(value: string, names: readonly MessageColumn[], numbers: readonly string[] = []): string {
  const typed = names.map((name) => `"${name}" ${columns[name].getSQLType() === "text" ? "text" : "bigint"}`);
  return `json_to_recordset(CAST(@${value} AS json)) AS ${value} (${[...typed, ...numbers.map((name) => `"${name}" bigint`)]})`;
}
