import { DrizzleQueryError } from "drizzle-orm/errors";
import { errorCode, errorText } from "gangway-messenger/errors";
import type { Pool, PoolClient } from "pg";
import { StoreError } from "../../store.ts";

/** Host and database, without user and password. */
const nameOf = (url: string): string => url.replace(/\?.*$/s, "").replace(/^.*(@|:\/\/)/s, "") || "the default server";

/** PostgreSQL's own error: drizzle's has the statement's values in its text. */
export const causeOf = (error: unknown): unknown => (error instanceof DrizzleQueryError ? error.cause : error);

/** Codes of lost connections: the network's, and PostgreSQL's when it stops or terminates one. */
const LOST = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENETUNREACH$|08|57P0[123]$)/;
/** PostgreSQL ended a connection that was idle in a transaction for too long: nothing sent since has arrived. */
const STOOD_STILL = "25P03";
/** Errors of the driver, which have no code. `not queryable`: neither this statement nor any after it has left. */
const LOST_WORDS = /^(Connection terminated|Query read timeout)|not queryable$/;
const UNSENT_WORDS = /not queryable$/;

/** PostgreSQL's code for giving up on a lock. */
export const NO_LOCK = "55P03";
/** Codes of a server that lacks connections, space or files, takes no writes any more, or waited in vain for a lock. */
const AWAY = /^(25006|53|55P03|58)/;
const AWAY_WORDS = /^timeout exceeded when trying to connect/;
/** Node's system calls that fail when the server cannot be reached. */
const ON_THE_WAY = new Set(["connect", "getaddrinfo"]);

/** Node's error codes about certificates. */
const CERTIFICATE = /CERT|VERIFY_LEAF/;
const NO_TLS = /does not support SSL/;

/** Whether the connection was lost. Nothing of its open transaction is stored, unless it was committing. */
export function isLost(thrown: unknown): boolean {
  const error = causeOf(thrown);
  const code = errorCode(error);
  return code === undefined ? LOST_WORDS.test(errorText(error)) : code === STOOD_STILL || LOST.test(code);
}

/** Whether the server cannot be reached, or takes nothing, for now. */
export function isAway(thrown: unknown): boolean {
  if (thrown instanceof StoreError) return thrown.kind === "away";
  const error = causeOf(thrown);
  const code = errorCode(error);
  if (isLost(error) || (error instanceof Error && ON_THE_WAY.has(String(Reflect.get(error, "syscall"))))) return true;
  return code === undefined ? AWAY_WORDS.test(errorText(error)) : AWAY.test(code);
}

/** Turns errors of connecting into StoreErrors for the operator; returns other errors unchanged. */
export function asStoreError(thrown: unknown, url: string): unknown {
  const error = causeOf(thrown);
  const said = errorText(error);
  const name = nameOf(url);
  const code = errorCode(error);
  if (NO_TLS.test(said))
    return new StoreError(`PostgreSQL at ${name} takes no TLS: leave sslmode out of DATABASE_URL, or have it take TLS`);
  if (code !== undefined && CERTIFICATE.test(code))
    return new StoreError(
      `PostgreSQL at ${name} is not trusted (${said}): name its certificate's issuer with sslrootcert`,
    );
  switch (code) {
    case "ERR_INVALID_URL":
      return new StoreError("DATABASE_URL is no address: postgres://user:password@host:5432/database, with one host");
    case "ECONNREFUSED":
    case "ENOENT":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EHOSTUNREACH":
    case "ETIMEDOUT":
      return new StoreError(`no PostgreSQL answers at ${name} (${said}): check DATABASE_URL, and that it runs`, "away");
    case "28P01":
    case "28000":
      return new StoreError(`PostgreSQL at ${name} refuses the user (${said}): check DATABASE_URL`);
    case "3D000":
      return new StoreError(`PostgreSQL at ${name} has no such database (${said}): create it`);
    case "42501":
      return new StoreError(
        `the user of DATABASE_URL lacks a right at ${name} (${said}): make it the database's owner`,
      );
    case "53300":
      return new StoreError(`PostgreSQL at ${name} has no connection left (${said}): raise max_connections`, "away");
    default:
      return isLost(error)
        ? new StoreError(`the connection to PostgreSQL at ${name} was lost (${said}): try again`, "away")
        : error;
  }
}

/** Codes of conflicts, a serialization failure or a deadlock: one of the transactions must run again. */
const CONFLICTS = new Set(["40001", "40P01"]);
/** Every conflict has a winner, so a transaction loses this often only to as many others. */
const MAX_RERUNS = 50;

/** Codes of failures of the server itself: it may stop on one, with its log written as far as it could. */
const FAILURE = /^(53|58|XX)/;

const unknown = new WeakSet<Error>();

/** Whether the connection was lost, or the server failed, during a commit: nobody knows whether anything is stored. */
export const isUnknown = (error: unknown): boolean => error instanceof Error && unknown.has(error);

/** Runs `use` again after a conflict, or on another connection when it was lost before `committing` was called. */
export async function connected<T>(
  pool: Pool,
  use: (client: PoolClient, committing: () => void) => Promise<T>,
): Promise<T> {
  for (let rerun = 0; ; rerun++) {
    const client = await pool.connect();
    let isCommitting = false;
    try {
      const value = await use(client, () => {
        isCommitting = true;
      });
      client.release();
      return value;
    } catch (thrown) {
      const error = causeOf(thrown);
      const lost = isLost(error);
      if (errorCode(error) === STOOD_STILL || UNSENT_WORDS.test(errorText(error))) isCommitting = false;
      const fails = isCommitting && FAILURE.test(errorCode(error) ?? "");
      client.release(lost || fails);
      if ((lost && isCommitting) || fails) unknown.add(error as Error);
      const again = lost ? !isCommitting : CONFLICTS.has(errorCode(error) ?? "");
      if (!again || rerun >= MAX_RERUNS) throw error;
    }
  }
}
