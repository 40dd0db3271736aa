import { type Store, StoreError } from "../store.ts";
import { openPostgres } from "./open.ts";

const BACKUP =
  "Gangway writes no backup of PostgreSQL: use its own tools, pg_dump or base backups with an archive of the log. Keep SECRET_KEYS elsewhere, without which nothing can be opened, and after a restore run gangway after-restore";

/** All verbs; only a backup is PostgreSQL's own. Throws StoreError, as `openPostgres`. */
export async function openPostgresStore(options: Parameters<typeof openPostgres>[0]): Promise<Store> {
  const store = await openPostgres(options);
  return {
    ...store,
    backup: { write: () => Promise.reject(new StoreError(BACKUP)) },
  };
}
