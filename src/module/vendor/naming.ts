import type { Account } from "../../domain/account.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";
import { hasScheme } from "../connecting/address.ts";

/** Finds an account by its id or CRM address, with or without scheme and path. */
export async function accountOf({ accounts }: Pick<Store, "accounts">, name: string): Promise<Account | undefined> {
  const known = await accounts.byId(name as AccountId);
  if (known) return known;
  // A sandbox's CRM uses http.
  const given = hasScheme(name) ? [name] : [`https://${name}`, `http://${name}`];
  for (const address of given) {
    const found = await accounts.byCrmUrl(URL.canParse(address) ? new URL(address).origin : name);
    if (found) return found;
  }
  return undefined;
}
