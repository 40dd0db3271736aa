import { type Account, works } from "../../domain/account/account.ts";
import { errorText } from "../../domain/errors.ts";
import type { AccountId, ChannelId } from "../../domain/ids.ts";
import { eachOf } from "../../domain/time/concurrency.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { Holdings } from "../scheduler/holdings.ts";
import type { Sessions } from "./sessions.ts";

interface Parts {
  store: Pick<Store, "accounts" | "channels">;
  sessions: Pick<Sessions, "accounts" | "keepOnly">;
  holdings: Pick<Holdings, "held" | "leaseOf">;
  /** A channel of an account that this process works for was added, changed, paused or removed. */
  changed(id: ChannelId): void;
  /** Such an account was connected anew, or switched on. */
  resumed(account: Account): void;
  log: Log;
}

/** What this process has acted on. */
interface Known {
  binding: string;
  epochs: Map<ChannelId, number>;
}

/** Accounts looked at together. */
const AT_ONCE = 8;

const bindingOf = (account: Account) =>
  [works(account), account.gatewayUrl, account.crmUrl, account.trouble !== undefined].join(" ");

/** Follows what other processes change: forms are served by any, feeds and sessions are those of this one. */
export function followChanges({ store, sessions, holdings, changed, resumed, log }: Parts): void {
  const known = new Map<AccountId, Known>();
  const untold = new Set<AccountId>();
  let busy = false;

  const look = async (id: AccountId) => {
    const [account, channels] = await Promise.all([store.accounts.byId(id), store.channels.list(id)]);
    sessions.keepOnly(id, channels);
    const before = known.get(id);
    known.delete(id);
    if (!account || !holdings.leaseOf(id)) return;
    const now = { binding: bindingOf(account), epochs: new Map(channels.map((each) => [each.id, each.epoch])) };
    known.set(id, now);
    const all = new Set([...now.epochs.keys(), ...(before?.epochs.keys() ?? [])]);
    for (const each of all) if (before?.epochs.get(each) !== now.epochs.get(each)) changed(each);
    if (works(account) && before?.binding !== now.binding) resumed(account);
  };
  const lookAtAll = async () => {
    busy = true;
    while (untold.size > 0) {
      const ids = [...untold];
      untold.clear();
      await eachOf(ids, AT_ONCE, (id) =>
        look(id).catch((error) => log.warn("account.not-followed", { account: id, error: errorText(error) })),
      );
    }
    busy = false;
  };
  store.channels.onChanged((accountIds) => {
    const own = new Set([...holdings.held(), ...sessions.accounts()]);
    for (const id of accountIds ?? own) if (own.has(id)) untold.add(id);
    if (!busy) void lookAtAll();
  });
}
