import type { Database } from "../../sqlite/database/db.ts";
import type { AccountErasure } from "../../sqlite/database/erasing.ts";
import { ACCOUNTS } from "../../tables/erased.ts";
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
export function closeAccount(db: Database, accountId: string, channels: string[], now: number): void {
  db.tombstones.buryChannels(channels, now);
  db.tombstones.buryNames(ACCOUNTS, [accountId], now);
  db.sqlite.prepare(STRANGERS).run({ accountId });
  for (const table of AT_ONCE) db.sqlite.prepare(`DELETE FROM ${table} WHERE account_id = ?`).run(accountId);
  db.sqlite.prepare("DELETE FROM account WHERE id = ?").run(accountId);
  db.heads.forget(accountId);
}

export async function eraseAccount(run: Run, { channels }: AccountErasure): Promise<void> {
  const { accountId } = run.erasure;
  await eraseWebhooks(run, ({ account }) => account === accountId);
  for (const channelId of channels) {
    await inBatches(run, () => eraseAllMessages(run, channelId));
    await eraseFiles(run, "channel_id = @channelId", { channelId });
    for (const table of tablesWith(run.db, "channel_id"))
      if (table !== TOMBSTONES) await eraseRows(run, table, "channel_id", channelId);
  }
  for (const table of tablesWith(run.db, "account_id")) await eraseRows(run, table, "account_id", accountId);
}

const TOMBSTONES = "erased";
/** Lines of a history, and notes. */
const NOTES = ["journal", "note"];

async function eraseRows(run: Run, table: string, column: string, value: string): Promise<void> {
  const some = `SELECT rowid FROM "${table}" WHERE "${column}" = ? LIMIT ${ROWS}`;
  const remove = run.db.sqlite.prepare(`DELETE FROM "${table}" WHERE rowid IN (${some})`);
  await inBatches(run, () => {
    const { changes } = remove.run(value);
    if (NOTES.includes(table)) run.count({ notes: changes });
    return changes;
  });
}

/** Asked of the database, so that no table can be forgotten. */
const tablesWith = ({ sqlite }: Database, column: string): string[] =>
  sqlite
    .prepare<[string], string>(
      `SELECT tables.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND columns.name = ?`,
    )
    .pluck()
    .all(column);
