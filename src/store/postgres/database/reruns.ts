import type { Pool, PoolClient } from "pg";
import { errorCode } from "../../../domain/errors.ts";
import { causeOf, isLost, STOOD_STILL } from "./faults.ts";

/** Two transactions read what the other wrote: one must run again. */
const CONFLICTS = new Set(["40001", "40P01"]);
/** The one that commits first wins, so this many lose in a row only to as many others. */
const MAX_RERUNS = 50;

/** Of the server itself, which may end by such an error, with its log written as far as it could. */
const FAILURE = /^(53|58|XX)/;

const unknown = new WeakSet<Error>();

/** Whether the connection was lost, or the server failed, while it committed: nobody knows whether anything is stored. */
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
      if (errorCode(error) === STOOD_STILL) isCommitting = false;
      const fails = isCommitting && FAILURE.test(errorCode(error) ?? "");
      client.release(lost || fails);
      if ((lost && isCommitting) || fails) unknown.add(error as Error);
      const again = lost ? !isCommitting : CONFLICTS.has(errorCode(error) ?? "");
      if (!again || rerun >= MAX_RERUNS) throw error;
    }
  }
}
