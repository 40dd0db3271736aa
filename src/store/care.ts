import type { ChannelId, ChatId, CustomerId } from "gangway-messenger/ids";
import type { AccountId } from "../domain/ids.ts";

/** Result of one check; `faults` are for the operator and hold no secret. */
export interface Check {
  name: string;
  /** Faults of `file` or `keys` make a copy unusable; faults of `content` do not. */
  kind: "file" | "keys" | "content";
  /** What was checked, in words. */
  seen: string;
  faults: string[];
}

interface BackupReport {
  file: string;
  /** Size of the database. */
  bytes: number;
  /** Number of kept files copied. */
  files: number;
  checks: Check[];
}

/** Backs up everything while the server runs. */
export interface BackupStore {
  /**
   * Writes a snapshot of the database to `target` and of the kept files to `<target>.files`; both are renamed into place
   * once complete. Content faults are copied too, and listed in the checks. Throws StoreError.
   */
  write(target: string): Promise<BackupReport>;
}

/** Backlog and faults in the tables, for either engine. */
export interface ContentFigures {
  jobs: Record<"waiting" | "held" | "dead", number>;
  /** Parked parts of app requests: for known channels, and for logins without a channel. */
  parked: { ofChannels: number; strangers: number };
  /** When the oldest waiting job was accepted, ms. */
  oldestWaiting?: number;
  /** The newest timestamp in the database, ms. */
  newest?: number;
  /** Sealed values of accounts and channels that do not open, as text. */
  unopened: string[];
  /** Channels that are stopped or in trouble. */
  troubled: { id: string; accountId: string; name: string; state: string; trouble: string }[];
}

/** The state of SQLite's files. */
export interface SqliteFigures {
  engine: "SQLite";
  /** Whether a server runs on the folder, or the reason why that is unknown. */
  served: boolean | string;
  /** `ok`, or the file's first fault. */
  quickCheck: string;
  /** Accepted events that are not in the database any more, at least. */
  missing: number;
  bytes: { database: number; log: number; free: number };
  disk: { free: number; all: number };
}

/** State of a PostgreSQL server; undefined where our user lacks the right to see it. */
export interface PostgresFigures {
  engine: "PostgreSQL";
  version: string;
  bytes: number;
  /** Processes of Gangway on the database, and how many accounts each works for. */
  members: { owner: string; accounts: number }[];
  /** Accounts that no process works for. */
  unheld: number;
  connections: { used: number; own: number; max: number };
  /** Durability of a commit: whether it waits for the disk, and for which replicas. */
  commits: { synchronous: string; standbys: string };
  replicas: { all: number; synchronous?: number; lagMs?: number };
  /** Transactions that have been open for more than a minute, oldest first. */
  long?: { who: string; ms: number }[];
  /** Table `message`: live rows, dead rows, and time of the last vacuum, ms. */
  messages: { live: number; dead: number; vacuumedAt?: number };
  /** Age of the oldest unfrozen row in transactions, and the age at which autovacuum freezes by force. */
  age: { now: number; freeze: number };
  /** How far the database's clock is ahead of this machine's, ms. */
  aheadMs: number;
}

export type Figures = ContentFigures & (SqliteFigures | PostgresFigures);

/** Health of the database, for an operator. */
export interface Condition {
  figures(): Promise<Figures>;
  /** Checks every invariant; time grows with the database. */
  verify(): Promise<Check[]>;
  /** Accepts the loss: resets the marker. Resolves with the number of missing events. Absent on PostgreSQL. */
  acceptLoss?(): Promise<number>;
  /** Fault of the bucket for kept files, if any. Absent: no bucket is used. */
  probeBucket?(): Promise<string | undefined>;
}

export interface RotationCursor {
  column: number;
  after: number;
}

export interface RotationBatch {
  /** Where the next batch begins; absent at the end. */
  next?: RotationCursor;
  /** Values resealed, by the id of their old key. */
  moved: Record<string, number>;
  unopened: UnopenedValue[];
}

/** A value that no key of the ring opens; it stays unchanged. */
export interface UnopenedValue {
  table: string;
  row: string;
  column: string;
  /** Id of the key that sealed it. */
  key: string;
  reason: string;
}

/** Reseals everything with the first key of the ring while the server runs. */
export interface Rotation {
  /** Why rotation must not start; undefined when it may. */
  refusal(): Promise<string | undefined>;
  /** One batch, one transaction: rotation can be interrupted and restarted. */
  batch(cursor: RotationCursor): Promise<RotationBatch>;
  /** Call after the last batch: values that did not open need no key from here on. */
  finished(moved: Record<string, number>, unopened: number): Promise<void>;
}

/** Records that expire. */
export type RetentionKind =
  | "settled"
  /** Contents of settled messages, as soon as nothing needs them. */
  | "delivered"
  /** Leftover texts of messages emptied under earlier rules. */
  | "words"
  | "dead"
  | "discarded"
  | "dedupe"
  | "audit"
  | "webhooks"
  | "journal"
  | "files"
  | "notes"
  /** Notes with their own retention. */
  | "lasting"
  | "erased"
  | "requests"
  | "events"
  | "sessions";

/** Deletes expired records in small transactions; never a live or held message. */
export interface Retention {
  /** When each channel's oldest live or held message was accepted, ms. Records it may need are kept. */
  oldestLive(): Promise<OldestLive>;
  /** Checks one batch of rows after the key `after` and deletes those older than `before`, ms. */
  sweep(kind: RetentionKind, before: number, oldestLive: OldestLive, after: number): Promise<Swept>;
  /** Deletes uploads that no journal entry names, since they were never sent. `after` and `next` are times, ms. */
  sweepUnsent(before: number, after: number): Promise<Swept>;
  /** Deletes orphaned bytes: their row was deleted, or never written because of a crash. */
  sweepFolder(before: number): Promise<number>;
}

export type OldestLive = ReadonlyMap<string, number>;

/** `next` is the `after` of the next batch; absent at the end. */
export interface Swept {
  deleted: number;
  next?: number;
}

/** Notes, by key prefix, that are erased with their customer. */
export interface NotePrefix {
  prefix: string;
  /** Absent: any kind of channel. */
  kind?: string;
  /** The key names a customer; the note is kept as long as the channel. Without it the note expires. */
  stays?: true;
  /** The key names a step of an agent's message. */
  ofStep?: boolean;
  /** Days after the last change; default RETAIN_NOTE_DAYS. */
  days?: number;
}

/** A person's action, or the CRM's. Never holds a secret or message text. */
export interface Act {
  actor: "account user" | "operator" | "crm" | "customer";
  /** A few words, for example `message sent again`. */
  action: string;
  detail?: Detail;
}

/** An act on the account page. Only the user's browser is known. */
export const byUser = (action: string, browser?: string): Act => ({
  actor: "account user",
  action,
  detail: browser === undefined ? undefined : { browser },
});

/** What the CRM did, in a callback. */
export const byCrm = (action: string): Act => ({ actor: "crm", action });

/** The act of `gangway backup`. */
export const BACKUP_MADE = "backup made";

export type Detail = Record<string, string | number | boolean | undefined>;

export interface AuditRow {
  id: number;
  at: number;
  actor: Act["actor"];
  action: string;
  accountId?: string;
  detail: Detail;
}

interface AuditFilter {
  accountId?: string;
  action?: string;
  /** Inclusive, like `to`; ms. */
  from?: number;
  to?: number;
  limit: number;
}

export interface AuditStore {
  record(accountId: string | undefined, act: Act): Promise<void>;
  /** Newest first. */
  list(filter: AuditFilter): Promise<AuditRow[]>;
  /** Time of the last `gangway backup`, ms. */
  lastBackup(): Promise<number | undefined>;
}

/** A customer of a channel. Without `customer`, the chat itself: its messages no longer name their author. */
export interface Person {
  channelId: ChannelId;
  chat: ChatId;
  customer?: CustomerId;
}

export interface FoundPerson extends Person {
  name?: string;
  /** Messages found. */
  count: number;
  /** The newest message: when it was accepted, ms, and its beginning. */
  lastAt: number;
  words?: string;
}

/** How many of each were erased. */
export interface Erased {
  messages: number;
  files: number;
  /** Raw webhooks. */
  webhooks: number;
  /** Journal rows of hosted chats, and notes of the adapter. */
  notes: number;
  /** False while free pages (SQLite) or dead rows (PostgreSQL) may still hold erased data. */
  gone: boolean;
}

/** State of an erasure requested at the messenger; times in ms. */
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

/** What is kept about a customer; times in ms. */
export interface PersonRecords {
  channelId: ChannelId;
  customer?: CustomerId;
  chats: { chat: string; gatewayChat: string; createdAt: number }[];
  messages: { id: number; direction: string; kind: string; state: string; at: number; content?: unknown }[];
  /** Journal rows of a hosted chat. */
  history: { chat: string; at: number; entry: unknown }[];
  notes: { key: string; value: string; updatedAt: number }[];
  files: { id: string; name: string | null; mediaType: string; size: number; createdAt: number }[];
}

/** Removes everything stored about a customer, or an account, for good. */
export interface ErasureStore {
  /** Customers in the account's stored messages whose name, id or words contain the text; newest first. */
  find(accountId: AccountId, text: string): Promise<FoundPerson[]>;
  /**
   * Exports, for the person, what an erasure would delete, except sealed requests. Undefined when the account has no
   * such chat; too large (and not audited) when messages and history exceed `maxBytes`.
   */
  export(
    accountId: AccountId,
    person: Person,
    by: Act,
    maxBytes?: number,
  ): Promise<PersonRecords | "too-large" | undefined>;
  /**
   * Undefined when the account has no such chat. From its first transaction on, nothing of the customer is sent and
   * work under way stores nothing; small transactions delete the rest. A repeat after a crash continues.
   */
  customer(accountId: AccountId, person: Person, by: Act): Promise<Erased | undefined>;
  /** The same for an account that is switched off; undefined otherwise. */
  account(accountId: AccountId, by: Act): Promise<Erased | undefined>;
  /**
   * Records that a person asked, at their messenger, to be erased from all channels of its kind. Resolves once it is on
   * disk, with a code for looking up the state; the same `proof` gives the same code.
   */
  ask(kind: string, customer: CustomerId, proof?: string): Promise<string>;
  /** Undefined when there is no such code. */
  asked(code: string): Promise<AskedErasure | undefined>;
  /** Carries out pending requests. */
  fulfil(): Promise<Erased[]>;
  /** Finishes erasures that were interrupted, begun at least this long ago, ms. */
  resume(minAgeMs?: number): Promise<Erased[]>;
  /** Called after the first transaction of an erasure, and whenever another process may have begun one. */
  onErased(listener: () => void): void;
  /** Whether one of these chats or customers was erased since then, ms, and has not written again. */
  isErased(channelId: ChannelId, names: string[], since: number): Promise<boolean>;
  /** Channels of erased accounts: sessions and feeds of theirs must end. */
  goneChannels(): Promise<ChannelId[]>;
  /**
   * SQLite: rewrites the file so that no free page holds erased data; false when it must wait for a reader or, if the
   * database is large, for the next start. PostgreSQL: removes dead rows and their samples in statistics; false when an
   * older transaction blocks it or another process is at it. Free space within pages, the log and copies keep their
   * bytes.
   */
  removeTraces(): Promise<boolean>;
  /** Records that the next `removeTraces` has work to do. */
  oweTraces(): Promise<void>;
  /** Backups taken before an erasure, which still hold the erased data; newest first. */
  backups(): Promise<KnownBackup[]>;
}
