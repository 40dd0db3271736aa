import { all, type Transaction, type Verb } from "../tables/engine.ts";
import { DROPPED, type Dropped, dropWork, endAll } from "../tables/erasing/dropping.ts";
import { type Covered, inclusion, type Pending } from "../tables/erasing/erasures.ts";
import type { ErasingEngine } from "./engine.ts";

type Row = Dropped & Covered;
const SELECT = `SELECT ${DROPPED}, chat, carrier FROM message WHERE account_id = @accountId AND channel_id = @channelId`;
const LIVE = `${SELECT} AND state IN ('ready','sending','waiting') ORDER BY id`;
const OWED = `${SELECT} AND ack IN ('due','sending') ORDER BY id`;

/**
 * Within an erasure's first transaction: what is live or owed of what it covers ends, so that nobody has to ask before sending
 * or recording whether a message is being erased. Of an account as many wait as its bound allows.
 */
export function* revoke(
  { locking }: Pick<ErasingEngine, "locking">,
  tx: Transaction,
  { accountId, of }: Pending,
): Verb<void> {
  const isCovered = inclusion(of);
  for (const channelId of "channels" in of ? of.channels : [of.channelId]) {
    const values = { accountId, channelId };
    const rows = new Map<number, Row>();
    for (const text of [LIVE, OWED])
      for (const row of yield* all<Row>(`${text} ${locking}`, values)) if (isCovered(row)) rows.set(row.id, row);
    if ("chats" in of) yield* dropWork(tx, [...rows.values()]);
    // Without the ledger, which is gone. Waiting rows need no update: nobody can claim them now.
    else yield* endAll(tx, [...rows.values()].filter(isSending));
  }
}

const isSending = ({ state, ack }: Row) => state === "sending" || ack === "sending";
