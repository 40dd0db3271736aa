import { eq } from "drizzle-orm";
import { keepAccepted } from "../tables/accounts/accepted.ts";
import { all, run as runs, type Transaction, type Verb } from "../tables/engine.ts";
import { ACCOUNTS, buryChannels, buryNames } from "../tables/erasing/erased.ts";
import type { AccountErasure } from "../tables/erasing/erasures.ts";
import { keptFiles } from "../tables/schema.ts";
import { inBatches, ROWS, type Run } from "./batches.ts";
import { eraseFiles } from "./files.ts";
import { eraseAllMessages } from "./messages.ts";
import { eraseWebhooks } from "./webhooks.ts";

/** By which an account is found, or works; in the order of their references. */
const AT_ONCE = ["web_session", "account_lease", "tally", "channel"];

/** Parked before, or after, a channel of the account had the login. */
const STRANGERS = `DELETE FROM parked WHERE channel_id IS NULL
  AND login IN (SELECT identity FROM channel WHERE account_id = @accountId)
  AND login NOT IN (SELECT identity FROM channel
    WHERE account_id <> @accountId AND state <> 'removed' AND identity IS NOT NULL)`;

/** Within the first write: from here on nobody finds the account, and nothing is stored for it. */
export function* closeAccount(
  tx: Transaction,
  { sealer, erasure: { accountId, at } }: Pick<Run, "sealer" | "erasure">,
  channels: string[],
): Verb<void> {
  yield* buryChannels(tx, channels, at);
  yield* buryNames(tx, sealer, ACCOUNTS, [accountId], at);
  yield* runs(STRANGERS, { accountId });
  yield* keepAccepted(accountId);
  for (const table of AT_ONCE) yield* runs(`DELETE FROM ${table} WHERE account_id = @accountId`, { accountId });
  yield* runs("DELETE FROM account WHERE id = @accountId", { accountId });
}

export async function eraseAccount(run: Run, { channels }: AccountErasure): Promise<void> {
  const { accountId } = run.erasure;
  const { engine, tablesWith } = run.erasingEngine;
  await eraseWebhooks(run, ({ account }) => account === accountId);
  const ofChannels = await engine.read(() => tablesWith("channel_id"));
  for (const channelId of channels) {
    await inBatches(run, (tx) => eraseAllMessages(run, tx, channelId));
    await eraseFiles(run, eq(keptFiles.channelId, channelId));
    for (const table of ofChannels) if (table !== TOMBSTONES) await eraseRows(run, table, "channel_id", channelId);
  }
  for (const table of await engine.read(() => tablesWith("account_id")))
    await eraseRows(run, table, "account_id", accountId);
}

const TOMBSTONES = "erased";
/** Lines of a history, and notes. */
const NOTES = ["journal", "note"];

async function eraseRows(run: Run, table: string, column: string, value: string): Promise<void> {
  const some = run.erasingEngine.some(table, `"${column}" = @value`, ROWS);
  const remove = `DELETE FROM "${table}" WHERE ${some} RETURNING 1`;
  await inBatches(run, function* () {
    const gone = (yield* all(remove, { value })).length;
    if (gone > 0 && NOTES.includes(table)) yield* run.count({ notes: gone });
    return gone;
  });
}
