/**
 * Tables whose rows are visited in the order of their making, by `rowid`: SQLite's own number of a row, and a column of
 * PostgreSQL's table.
 */
export const VISITED = new Set([
  ...["meta", "account", "channel", "note", "kept_file", "web_session", "erased", "erasure", "erasure_request"],
]);
