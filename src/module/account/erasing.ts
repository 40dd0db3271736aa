import type { Clock } from "gangway-messenger/clock";
import { serialByKey } from "gangway-messenger/concurrency";
import { errorText } from "gangway-messenger/errors";
import { type ChannelId, fingerprint } from "gangway-messenger/ids";
import type { Account } from "../../domain/account.ts";
import { INBOUND_PATIENCE_MS } from "../../domain/delivery.ts";
import type { AccountId } from "../../domain/ids.ts";
import type { Log } from "../../log.ts";
import type { Remembered } from "../../store/accounts.ts";
import { byUser, type Erased, type FoundPerson, type Person, type PersonRecords } from "../../store/care.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { createExpiring } from "./expiring.ts";

/** Erases the stored data of a customer or an account at the request of the account's users. */
export interface Erasing {
  find(account: Account, text: string): Promise<Found[]>;
  /** Exports what is stored about a customer, up to 16 MiB. Undefined if the account has no such customer. */
  records(account: Account, person: Person, browser?: string): Promise<PersonRecords | "too-large" | undefined>;
  /** A channel's name; empty if the account has no such channel. */
  channelName(account: Account, id: ChannelId): Promise<string>;
  /** A repeat within RECEIPT_MS, such as a reload, gets the same receipt. Undefined: no such customer. */
  customer(account: Account, person: Person): Promise<Receipt | undefined>;
  /** Erases a disconnected account. */
  account(account: Account): Promise<Receipt | undefined>;
}

/** `channelName` is empty if the channel was removed. */
export type Found = FoundPerson & { channelName: string };

/** What was erased, in numbers; holds no contents. */
export interface Receipt extends Erased {
  /** When, ms. */
  at: number;
  /** Times of earlier backups, ms: their copies remain. */
  backups: number[];
}

export interface ErasingParts {
  store: Pick<Store, "accounts" | "channels" | "erasure" | "shared">;
  clock: Clock;
  log: Log;
}

/** How long a receipt can be shown again, ms. */
const RECEIPT_MS = 3_600_000;

/** Limit of an export, which takes several times as much memory. Tens of thousands of messages fit. */
const MAX_RECORDS_BYTES = 16 * 1024 * 1024;

export function createErasing({ store, clock, log }: ErasingParts): Erasing {
  const { erasure } = store;
  // A search reads every message: run one per account at a time.
  const oneByOne = serialByKey<AccountId>();
  const receipts = receiptsIn(store.shared?.remembered, clock);
  const receiptOf = async (erased: Erased, account: Account): Promise<Receipt> => {
    log.info("erased", { account: account.id, ...erased });
    return { ...erased, at: clock.now(), backups: (await erasure.backups()).map(({ at }) => at) };
  };
  return {
    async find(account, text) {
      if (text.trim() === "") return [];
      const found = await oneByOne(account.id, () => erasure.find(account.id, text));
      const channels = await store.channels.list(account.id);
      const names = new Map<string, string>(channels.map(({ id, name }) => [id, name]));
      return found.map((each) => ({ ...each, channelName: names.get(each.channelId) ?? "" }));
    },
    records: (account, person, browser) =>
      oneByOne(account.id, () =>
        erasure.export(account.id, person, byUser("customer exported", browser), MAX_RECORDS_BYTES),
      ),
    async channelName(account, id) {
      return (await store.channels.byId(account.id, id))?.name ?? "";
    },
    async customer(account, person) {
      const { channelId, chat, customer } = person;
      // Keyed with a secret, so that a reader of the database cannot tell whose receipt it is.
      const secret = ifOpens(() => account.webhookSecret) ?? account.id;
      const key = fingerprint(JSON.stringify([secret, channelId, chat, customer]));
      const erased = await erasure.customer(account.id, person, byUser("customer erased"));
      if (!erased) return receipts.get(key);
      const receipt = await receiptOf(erased, account);
      await receipts
        .set(account.id, key, receipt)
        .catch((error) => log.warn("receipt.not-kept", { account: account.id, error: errorText(error) }));
      return receipt;
    },
    async account(account) {
      await store.accounts.setActivity(account.id, { active: false, frozen: account.frozen }, INBOUND_PATIENCE_MS);
      const erased = await erasure.account(account.id, byUser("account erased"));
      return erased && receiptOf(erased, account);
    },
  };
}

/** Receipts, shared by all processes on the database. */
function receiptsIn(remembered: Remembered | undefined, clock: Clock) {
  const own = createExpiring<Receipt>(clock, RECEIPT_MS);
  const nameOf = (key: string) => `receipt ${key}`;
  return {
    async get(key: string): Promise<Receipt | undefined> {
      if (!remembered) return own.get(key);
      const text = await remembered.get(nameOf(key));
      return text === undefined ? undefined : JSON.parse(text);
    },
    async set(accountId: AccountId, key: string, receipt: Receipt) {
      if (remembered) await remembered.set(accountId, nameOf(key), JSON.stringify(receipt), RECEIPT_MS);
      else own.set(key, receipt);
    },
  };
}
