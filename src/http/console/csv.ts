/** RFC 4180. Cells that spreadsheets would read as formulas get a leading apostrophe, except our own ids. */
export function csvOf<Row extends object>(columns: (keyof Row & string)[], rows: Row[]): string {
  const lines = rows.map((row) => columns.map((name) => cell(row[name])).join(","));
  return [columns.join(","), ...lines].join("\r\n").concat("\r\n");
}

/** An id from `newId`; it may begin with a dash. */
const ID = /^[\w-]{22}$/;

function cell(value: unknown): string {
  const text = value === undefined ? "" : String(value);
  const safe = typeof value === "string" && !ID.test(text) && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
