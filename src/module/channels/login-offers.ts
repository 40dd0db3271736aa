import type { LoginChoice } from "gangway-messenger/apps";
import { eachOf } from "gangway-messenger/concurrency";
import { errorText } from "gangway-messenger/errors";
import { cleanName } from "gangway-messenger/ids";
import { cutText } from "gangway-messenger/text";
import type { Account } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { ChannelActions } from "./channels.ts";
import type { ChannelForm } from "./form.ts";
import type { ChannelFault, ChannelResult } from "./link.ts";

/** What the messenger offered after a login, with its secrets; which choices are connected, and why others failed. */
export interface Offer {
  choices: LoginChoice[];
  connected: Set<string>;
  faults: Map<string, ChoiceFault>;
}
type ChoiceFault = ChannelFault | { code: "failed" };

/** A choice without its settings: they hold secrets, which stay on the server. */
export interface OfferedChoice extends Pick<LoginChoice, "login" | "name" | "about"> {
  /** This account's channel with the same login, if any. */
  channel?: Pick<Channel, "id" | "name" | "state">;
  /** Whether the choice has just been connected. */
  done?: true;
  /** Why connecting it failed. */
  fault?: ChoiceFault;
}

export interface Chosen extends Pick<ChannelForm, "past"> {
  logins: string[];
}

export interface OfferParts {
  store: Pick<Store, "channels" | "shared" | "serial">;
  channels: Pick<ChannelActions, "add" | "change">;
  log: Log;
}

export interface Offers {
  shown(account: Account, offer: Offer): Promise<OfferedChoice[]>;
  /** Connects the chosen logins; ignores unknown ones. One failure does not stop the others. */
  connect(account: Account, kind: string, offer: Offer, chosen: Chosen): Promise<Channel[]>;
}

/** Number of choices connected concurrently. */
const AT_ONCE = 4;
const MAX_NAME_LENGTH = 100;

export function createOffers({ store, channels, log }: OfferParts): Offers {
  const holderOf = async (account: Account) => {
    const own = await store.channels.list(account.id);
    return (login: string) => own.find(({ identity }) => identity === login);
  };
  /** Gives an existing channel with this login the new credentials, so that a stopped channel works again. */
  const connectOne = async (
    account: Account,
    kind: string,
    choice: LoginChoice,
    past?: string,
  ): Promise<ChannelResult> => {
    const { login, settings } = choice;
    const known = (await holderOf(account))(login);
    if (known) return channels.change(account, known.id, { name: known.name, settings });
    const name = cutText(cleanName(choice.name), MAX_NAME_LENGTH);
    return channels.add(account, kind, { name, settings, past });
  };
  return {
    async shown(account, { choices, connected, faults }) {
      const heldBy = await holderOf(account);
      return choices.map(({ login, name, about }) => {
        const { id, name: known = "", state } = heldBy(login) ?? {};
        const channel = id && state && { id, name: known, state };
        const done = connected.has(login) && { done: true as const };
        return { login, name, about, fault: faults.get(login), ...(channel && { channel }), ...done };
      });
    },
    async connect(account, kind, { choices, connected, faults }, { logins, past }) {
      const opened: Channel[] = [];
      const wanted = choices.filter(({ login }) => logins.includes(login) && !connected.has(login));
      await eachOf(wanted, AT_ONCE, async (choice) => {
        faults.delete(choice.login);
        try {
          const result = await connectOne(account, kind, choice, past);
          if (!result.ok) return void faults.set(choice.login, result.fault);
          connected.add(choice.login);
          opened.push(result.channel);
        } catch (error) {
          log.error("login.not-connected", { account: account.id, kind, error: errorText(error) });
          faults.set(choice.login, { code: "failed" });
        }
      });
      return opened;
    },
  };
}
