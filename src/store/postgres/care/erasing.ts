import type { Pool } from "pg";
import type { ErasingEngine } from "../../erasing/engine.ts";
import { StoreError } from "../../store.ts";
import { all, run } from "../../tables/engine.ts";
import type { PostgresEngine } from "../database/engine.ts";
import { holdChannels } from "../database/lanes.ts";
import { tryLock, unlock } from "../database/locks.ts";
import { type Notifier, TELL_ERASED } from "../database/notifier.ts";
import { dropChunks } from "../files/kept-chunks.ts";
import type { KeptObjects } from "../files/kept-objects.ts";
import { createTraces } from "./traces.ts";

const TABLES_WITH = `SELECT CAST(columns.table_name AS text) AS name FROM information_schema.columns
  JOIN information_schema.tables ON tables.table_schema = columns.table_schema AND tables.table_name = columns.table_name
  WHERE columns.table_schema = current_schema() AND table_type = 'BASE TABLE' AND column_name = @column`;
/** Whoever writes about a channel without holding lanes keeps its row as it is. */
const CHANGE_CHANNELS = `UPDATE channel SET updated_at = updated_at
  WHERE id IN (SELECT json_array_elements_text(CAST(@ids AS json)))`;
const HOLD_ACCOUNT = "SELECT FROM account WHERE id = @accountId FOR UPDATE";

interface Parts {
  pool: Pool;
  engine: PostgresEngine;
  notifier: Pick<Notifier, "onErased">;
  objects?: KeptObjects;
}

/** Erasing in a database that several processes share; `close` before the pool ends. */
export function postgresErasingEngine({
  pool,
  engine,
  notifier,
  objects,
}: Parts): ErasingEngine & { close(): Promise<void> } {
  const { removeTraces, close } = createTraces(pool, engine);
  return {
    engine,
    some: (table, where, limit) => `ctid = ANY(ARRAY(SELECT ctid FROM "${table}" WHERE ${where} LIMIT ${limit}))`,
    *tablesWith(column) {
      return (yield* all<{ name: string }>(TABLES_WITH, { column })).map(({ name }) => name);
    },
    *hold(channelIds) {
      yield* holdChannels(channelIds);
      yield* run(CHANGE_CHANNELS, { ids: JSON.stringify(channelIds) });
    },
    holdAccount: (accountId) => run(HOLD_ACCOUNT, { accountId }),
    locking: "FOR UPDATE",
    tellOthers: () => run(TELL_ERASED),
    // What is left of them, and keys of objects, go with the rows, by a trigger.
    async removeFiles(ids) {
      await dropChunks(engine, ids);
      await objects?.removeAll(ids);
    },
    alone: aloneBy(pool),
    assertOpen() {
      if (pool.ending)
        throw new StoreError("the server has stopped; another goes on with the erasure, or the next start");
    },
    onOthers: notifier.onErased,
    removeTraces,
    copies: () => [],
    close,
  };
}

function aloneBy(pool: Pool): ErasingEngine["alone"] {
  return async (name, work) => {
    const lock = `erasing/${name}`;
    const client = await pool.connect();
    let isLost = true;
    try {
      const isMine = await tryLock(client, lock);
      try {
        return isMine ? await work() : undefined;
      } finally {
        if (isMine) await unlock(client, lock);
        isLost = false;
      }
    } finally {
      client.release(isLost);
    }
  };
}
