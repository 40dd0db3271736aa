import { run, type Verb } from "../engine.ts";

/** Accepted events of erased accounts: with the sums in `tally`, all that were ever accepted. */
export const ACCEPTED_ERASED = "accepted_erased";

const KEEP = `INSERT INTO meta (key, value)
  SELECT '${ACCEPTED_ERASED}', CAST(coalesce(sum(accepted), 0) AS text) FROM tally WHERE account_id = @accountId
  ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS bigint) + CAST(excluded.value AS bigint) AS text)`;

/** Before the account's sums are deleted, in the same transaction. */
export const keepAccepted = (accountId: string): Verb<void> => run(KEEP, { accountId });
