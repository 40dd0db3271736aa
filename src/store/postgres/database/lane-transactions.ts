import type { Pool, PoolClient } from "pg";
import type { Transaction, Verb } from "../../tables/engine.ts";
import { numbered, type PostgresEngine } from "./engine.ts";
import { connected } from "./faults.ts";
import { type Chat, LOCK, locksOf } from "./locks.ts";

// Transactions of the outbox. Each statement sees what others have committed by then; what must not change is locked.
// Statements leave before earlier ones are answered, so that a transaction costs two round trips.

type Values = Record<string, unknown>;

export interface LaneTransaction {
  /** Sends without waiting for the answer; a failure shows in the next statement. */
  sent(text: string, values?: Values): void;
  rows<T>(text: string, values?: Values): Promise<T[]>;
  run<T>(work: (tx: Transaction) => Verb<T>): Promise<T>;
  /** Sends the last statements together with the commit. Resolves with the rows of each. */
  commit(...last: [text: string, values?: Values][]): Promise<unknown[][]>;
}

export interface LaneTransactions {
  /** Runs one statement, a transaction of its own. `write`: not repeated when the connection was lost. */
  rows<T>(text: string, values?: Values, how?: "write"): Promise<T[]>;
  /** One transaction that holds these lanes. `work` may run again. */
  inLanes<T>(chats: Iterable<Chat>, work: (transaction: LaneTransaction) => Promise<T>): Promise<T>;
}

export function laneTransactions(pool: Pool, engine: PostgresEngine): LaneTransactions {
  return {
    rows: (text, values = {}, how) =>
      connected(pool, async (client, committing) => {
        if (how === "write") committing();
        return (await client.query(numbered(text, values))).rows;
      }),
    inLanes: (chats, work) => {
      const locks = locksOf(chats);
      return connected(pool, async (client, committing) => {
        const { transaction, end, undo } = begin(client, engine, committing);
        try {
          transaction.sent("BEGIN");
          if (locks.length > 0) transaction.sent(LOCK, { locks: JSON.stringify(locks) });
          const value = await work(transaction);
          await end();
          return value;
        } catch (error) {
          throw await undo(error);
        }
      });
    },
  };
}

function begin(client: PoolClient, engine: PostgresEngine, committing: () => void) {
  let committed = false;
  // Statements after one that fails only say so: the first failure counts.
  let failure: { error: unknown } | undefined;
  const query = async (text: string, values?: Values) => {
    try {
      return await client.query(values ? numbered(text, values) : text);
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  };
  const commit = async () => {
    committed = true;
    committing();
    const { command } = await query("COMMIT");
    // COMMIT of a failed transaction rolls it back, without an error.
    if (command !== "COMMIT") throw failure?.error ?? new Error("PostgreSQL has rolled the transaction back");
  };
  const transaction = {
    sent: (text: string, values?: Values) => void query(text, values).catch(() => undefined),
    rows: <T>(text: string, values: Values = {}) => {
      const rows = query(text, values).then((result) => result.rows as T[]);
      // A caller awaits its statements in turn, and none after the first that fails: avoids unhandled rejections.
      rows.catch(() => undefined);
      return rows;
    },
    run: <T>(work: (tx: Transaction) => Verb<T>) => engine.within(client, work),
    async commit(...last: [text: string, values?: Values][]) {
      const sent = last.map(([text, values = {}]) => query(text, values));
      const results = await Promise.all([...sent, commit()]);
      return results.slice(0, last.length).map((result) => (result as { rows: unknown[] }).rows);
    },
  };
  return {
    transaction,
    end: async () => void (committed || (await commit())),
    /** Rolls back; resolves with the error to throw. */
    async undo(error: unknown) {
      await client.query("ROLLBACK").catch(() => undefined);
      return failure?.error ?? error;
    },
  };
}
