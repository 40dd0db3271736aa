import type { AccountId, ChannelId, ChatId, CustomerId } from "../domain/ids.ts";
import type { Act } from "./audit.ts";

/** A customer at a channel. Without `customer` the chat itself: its messages no longer say who wrote them. */
export interface Person {
  channelId: ChannelId;
  chat: ChatId;
  customer?: CustomerId;
}

export interface FoundPerson extends Person {
  name?: string;
  /** Messages found. */
  count: number;
  /** The newest of them: when it was accepted, ms, and how it begins. */
  lastAt: number;
  words?: string;
}

/** How many of each were erased. */
export interface Erased {
  messages: number;
  files: number;
  /** Raw webhooks. */
  webhooks: number;
  /** Lines of a hosted chat, and what a messenger's adapter had noted. */
  notes: number;
  /** False while unused space of the database may still hold some of it: of SQLite's files, or dead rows of PostgreSQL. */
  gone: boolean;
}

/** What a person asked for at their messenger, ms. */
export interface AskedErasure {
  at: number;
  /** Absent: not done yet. */
  doneAt?: number;
}

/** A copy of the database that an erasure cannot reach. */
export interface KnownBackup {
  /** Absent: written by an older version. */
  file?: string;
  /** When it was made, ms. */
  at: number;
}

/** Removes everything stored about a customer, or an account, for good. */
export interface ErasureStore {
  /** Customers in the account's stored messages whose name, id or words contain the text; newest first. */
  find(accountId: AccountId, text: string): Promise<FoundPerson[]>;
  /**
   * Undefined when the account has no such chat. After the first transaction nothing of the customer is sent, and work under
   * way stores nothing; the rest follows in small ones. Repeated after a crash, it goes on.
   */
  customer(accountId: AccountId, person: Person, by: Act): Promise<Erased | undefined>;
  /** The same for an account that is switched off; undefined otherwise. */
  account(accountId: AccountId, by: Act): Promise<Erased | undefined>;
  /**
   * A person asked at their messenger for the erasure of their data in all channels of its kind. Resolves, once that is on
   * disk, with the code under which its state is shown: of one `proof` always the same.
   */
  ask(kind: string, customer: CustomerId, proof?: string): Promise<string>;
  /** Undefined when there is no such code. */
  asked(code: string): Promise<AskedErasure | undefined>;
  /** Carries out what was asked for. */
  fulfil(by: Act): Promise<Erased[]>;
  /** Finishes erasures that were interrupted, begun at least this long ago, ms. */
  resume(minAgeMs?: number): Promise<Erased[]>;
  /** Called after the first transaction of an erasure, and whenever another process may have begun one. */
  onErased(listener: () => void): void;
  /** Channels of erased accounts: sessions and feeds of theirs must end. */
  goneChannels(): Promise<ChannelId[]>;
  /**
   * SQLite: rewrites the database so that no unused space holds what was erased. False when that must wait: for a reader, or,
   * of a large database, for the next start. PostgreSQL: removes dead rows, and what statistics say of them. False when that
   * must wait for an older transaction, or another process does it. Free space of pages, the log and copies keep their bytes.
   */
  removeTraces(): Promise<boolean>;
  /** Backups that hold what was erased after them, newest first. */
  backups(): Promise<KnownBackup[]>;
}
