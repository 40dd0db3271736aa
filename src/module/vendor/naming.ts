import type { Account } from "../../domain/account.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";

/** Finds an account by its id or CRM address, with or without scheme and path. */
export async function accountOf({ accounts }: Pick<Store, "accounts">, name: string): Promise<Account | undefined> {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(name) ? name : `https://${name}`;
  const origin = URL.canParse(address) ? new URL(address).origin : name;
  return (await accounts.byId(name as AccountId)) ?? accounts.byCrmUrl(origin);
}
