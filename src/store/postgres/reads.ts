import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";
import { isLost } from "./faults.ts";
import { connected } from "./reruns.ts";

/** What runs statements: a connection, or the pool. */
export interface Queries {
  query(config: QueryConfig, values?: unknown[]): Promise<QueryResult>;
}

interface Read {
  config: QueryConfig;
  values: unknown[] | undefined;
  resolve(result: QueryResult): void;
  reject(error: unknown): void;
  isAnswered: boolean;
}

/** Statements outside a transaction: those of a turn share a connection and a round trip. */
export function readsOf(pool: Pool): Queries {
  let turn: Read[] = [];
  const readAll = async () => {
    const reads = turn;
    turn = [];
    const left = () => reads.filter(({ isAnswered }) => !isAnswered);
    try {
      await connected(pool, async (client) => void (await Promise.all(left().map((read) => answer(client, read)))));
    } catch (error) {
      for (const { reject } of left()) reject(error);
    }
  };
  return {
    query: (config, values) =>
      new Promise((resolve, reject) => {
        if (turn.length === 0) setImmediate(() => void readAll());
        turn.push({ config, values, resolve, reject, isAnswered: false });
      }),
  };
}

/** Rejects when the connection is lost: another answers what this one has not. */
async function answer(client: PoolClient, read: Read): Promise<void> {
  try {
    read.resolve(await client.query(read.config, read.values));
  } catch (error) {
    if (isLost(error)) throw error;
    read.reject(error);
  }
  read.isAnswered = true;
}
