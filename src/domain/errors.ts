/** An error's words, or whatever was thrown as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` that Node, undici and SQLite put on their errors; undefined of all others. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;
