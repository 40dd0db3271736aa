import { type Store, StoreError } from "../store.ts";
import { openPostgres } from "./open.ts";

const missing = (what: string) => () =>
  Promise.reject(new StoreError(`${what} is not on PostgreSQL yet; on SQLite it is`));
const BACKUP =
  "Gangway writes no backup of PostgreSQL: use its own tools, pg_dump or base backups with an archive of the log. Keep SECRET_KEYS elsewhere, without which nothing can be opened, and after a restore run gangway after-restore";

/** All verbs; those that PostgreSQL does not have yet reject with a StoreError. Throws StoreError, as `openPostgres`. */
export async function openPostgresStore(options: Parameters<typeof openPostgres>[0]): Promise<Store> {
  const store = await openPostgres(options);
  return {
    ...store,
    erasure: {
      ...store.erasure,
      customer: missing("the erasure of a customer"),
      account: missing("the erasure of an account"),
      ask: missing("the erasure that a person asks for at the messenger"),
      asked: missing("the erasure that a person asks for at the messenger"),
      fulfil: missing("the erasure that a person asks for at the messenger"),
      resume: missing("the rest of an erasure"),
      removeTraces: missing("the removal of what unused space still holds"),
      backups: missing("the list of known backups"),
      // None begins.
      onErased: () => undefined,
      goneChannels: async () => [],
    },
    backup: { write: () => Promise.reject(new StoreError(BACKUP)) },
  };
}
