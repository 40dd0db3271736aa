/** The message of an error, or any thrown value as text. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The `code` that Node, undici and SQLite put on their errors; otherwise undefined. */
export const errorCode = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

/** All invalid settings at once, one line each. */
export class ConfigError extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(`Invalid settings:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.name = "ConfigError";
    this.faults = faults;
  }
}

/** The gateway's own codes for a message that could not be delivered (contract: SendingErrorCode). */
export type ErrorCode = "general" | "customer_not_exists" | "reply_timed_out" | "spam_suspicion" | "access_restricted";
