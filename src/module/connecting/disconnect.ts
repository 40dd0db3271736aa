import type { Call } from "gangway-messenger/call";
import type { Config } from "../../config.ts";
import { createCrm } from "../../crm/client.ts";
import { CrmError } from "../../crm/verdict.ts";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { INBOUND_PATIENCE_MS } from "../../domain/delivery.ts";
import type { Log } from "../../log.ts";
import { byUser } from "../../store/care.ts";
import type { Store } from "../../store/store.ts";
import type { ChannelActions } from "../channels/channels.ts";
import { registration } from "./connect.ts";

/** Who was told. Otherwise a person must switch the module off in the CRM, or end a messenger's subscription. */
export interface Told {
  crm: boolean;
  messengers: boolean;
}

/** Removes an account's channels everywhere, then switches its module off in the CRM; stored data stays. */
export type Disconnect = (account: Account) => Promise<Told>;

export interface DisconnectParts {
  config: Pick<Config, "publicUrl" | "module">;
  call: Call;
  store: Pick<Store, "accounts" | "audit" | "channels" | "serial">;
  channels: Pick<ChannelActions, "remove">;
  log: Log;
}

export function createDisconnect({ config, call, store, channels, log }: DisconnectParts): Disconnect {
  const switchOff = async ({ id, crmUrl, apiKey, ...account }: Account) => {
    try {
      await createCrm({ call, crmUrl, apiKey }).switchOff(registration(config, account));
      return true;
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      log.warn("account.not-switched-off", { account: id, reason: error.reason, detail: error.detail });
      return false;
    }
  };
  return async (account) => {
    const { id, frozen } = account;
    let messengers = true;
    const removeAll = async (listed: Channel[]) => {
      for (const channel of listed) {
        const removed = await channels.remove(account, channel.id, { anyway: true });
        if (removed.ok && removed.isLeft) messengers = false;
      }
    };
    await removeAll(await store.channels.list(id));
    const crm = await switchOff(account);
    await store.accounts.setActivity(id, { active: false, frozen }, INBOUND_PATIENCE_MS);
    // Remove channels that another form added meanwhile; the inactive account accepts no more.
    await removeAll(await store.serial(id, () => store.channels.list(id)));
    await store.audit.record(id, { ...byUser("account disconnected"), detail: { told: crm } });
    log.info("account.disconnected", { account: id, crm: account.crmUrl, told: crm, messengers });
    return { crm, messengers };
  };
}
