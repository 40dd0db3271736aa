import type { Pool, PoolClient } from "pg";
import { newSecret } from "../../../domain/ids.ts";

// Processes tell each other of which accounts something has changed; the database delivers it with the commit.

const CHANNEL = "gangway";
const RETRY_MS = 1_000;
/** A message has at most 8000 bytes. */
const MAX_ACCOUNTS = 100;

export interface Telling {
  /** The statements that tell the others. */
  statements(accountIds: Iterable<string>): [string, Record<string, unknown>][];
  close(): void;
}

/** `heard`: of these accounts something was changed elsewhere; undefined: of any, as what was told meanwhile is lost. */
export function createTelling(pool: Pool, heard: (accountIds: string[] | undefined) => void): Telling {
  const own = newSecret().slice(0, 12);
  let client: PoolClient | undefined;
  let closed = false;
  const listen = async () => {
    try {
      const connected = await pool.connect();
      if (closed) return connected.release();
      client = connected;
      client.on("notification", ({ payload = "" }) => {
        const [from, ...accountIds] = payload.split(" ");
        if (from !== own) heard(accountIds);
      });
      client.once("end", again);
      await client.query(`LISTEN ${CHANNEL}`);
      heard(undefined);
    } catch {
      again();
    }
  };
  const again = () => {
    const lost = client;
    client = undefined;
    lost?.removeAllListeners("notification");
    lost?.release(true);
    if (!closed) setTimeout(() => void listen(), RETRY_MS).unref();
  };
  void listen();
  return {
    statements(accountIds) {
      const all = [...accountIds];
      const told: [string, Record<string, unknown>][] = [];
      for (let n = 0; n < all.length; n += MAX_ACCOUNTS)
        told.push([
          `SELECT pg_notify('${CHANNEL}', @told)`,
          { told: [own, ...all.slice(n, n + MAX_ACCOUNTS)].join(" ") },
        ]);
      return told;
    },
    close() {
      closed = true;
      client?.removeAllListeners("end");
      client?.release(true);
    },
  };
}
