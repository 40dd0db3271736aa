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

/** Counts of waiting work, and faults, in the tables; the same for both engines. */
export interface ContentFigures {
  jobs: Record<"waiting" | "held" | "dead", number>;
  /** Parked parts of requests: `ofChannels` belong to channels, `strangers` to logins that no channel has. */
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
  /** Lower bound of accepted events that the database has lost. */
  missing: number;
  bytes: { database: number; log: number; free: number };
  disk: { free: number; all: number };
}

/** The state of a PostgreSQL server. What its user may not see is undefined. */
export interface PostgresFigures {
  engine: "PostgreSQL";
  version: string;
  bytes: number;
  /** Processes of Gangway on the database, and how many accounts each works for. */
  members: { owner: string; accounts: number }[];
  /** Accounts that no process works for. */
  unheld: number;
  connections: { used: number; own: number; max: number };
  /** `synchronous_commit`, `synchronous_standby_names`: whether commits wait for the disk, and for which replicas. */
  commits: { synchronous: string; standbys: string };
  replicas: { all: number; synchronous?: number; lagMs?: number };
  /** Transactions that have been open for more than a minute, oldest first. */
  long?: { who: string; ms: number }[];
  /** Table `message`: live rows, dead rows that vacuum has yet to remove, and when vacuum last ran, ms. */
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
  /** Accepts the loss. Resolves with the number of events that no longer count as missing. Absent on PostgreSQL. */
  acceptLoss?(): Promise<number>;
  /** Resolves with what fails at the bucket of kept files, or undefined. Absent when there is no bucket. */
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
  /** Settled messages including the words that `settled` keeps, as soon as nothing needs them. */
  | "delivered"
  /** Words left over from messages that other rules have emptied. */
  | "words"
  | "dead"
  | "discarded"
  | "dedupe"
  | "audit"
  | "webhooks"
  | "journal"
  | "files"
  | "notes"
  /** Notes with a retention time of their own. */
  | "lasting"
  | "erased"
  | "requests"
  | "events"
  | "sessions";

/** Deletes expired records in small transactions; never a live or held message. */
export interface Retention {
  /** When each channel's oldest live or held message was accepted, ms. Records that it may need are kept. */
  oldestLive(): Promise<OldestLive>;
  /** Checks one batch of rows after the key `after` and deletes those older than `before`, ms. */
  sweep(kind: RetentionKind, before: number, oldestLive: OldestLive, after: number): Promise<Swept>;
  /** Like `sweep`, for uploads that were never sent: no journal entry names them. `after` and `next` are times, ms. */
  sweepUnsent(before: number, after: number): Promise<Swept>;
  /** Deletes bytes of kept files whose row is gone, or was never written because of a crash. */
  sweepFolder(before: number): Promise<number>;
}

export type OldestLive = ReadonlyMap<string, number>;

/** `next` is the `after` of the next batch; absent at the end. */
export interface Swept {
  deleted: number;
  next?: number;
}

/** Notes, by key prefix, that are erased with the customer they are about. */
export interface NotePrefix {
  prefix: string;
  /** Kind of channel; absent: every kind. */
  kind?: string;
  /** Keyed by customer, and kept as long as the channel keeps them; without this flag the notes expire. */
  stays?: true;
  /** Keyed by the key of a step of an agent's message. */
  ofStep?: boolean;
  /** Retention in days after the last change; absent: RETAIN_NOTE_DAYS. */
  days?: number;
}

/** A person's action, or the CRM's. Never holds a secret or message text. */
export interface Act {
  actor: "account user" | "operator" | "crm" | "customer";
  /** A few words, for example `message sent again`. */
  action: string;
  detail?: Detail;
}

/** An act on the account page. The browser is all that is known of the user. */
export const byUser = (action: string, browser?: string): Act => ({
  actor: "account user",
  action,
  detail: browser === undefined ? undefined : { browser },
});

/** An act of the CRM, by callback. */
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
  /** When `gangway backup` last made a backup, ms. */
  lastBackup(): Promise<number | undefined>;
}

/** A customer in a channel. Without `customer`: the chat itself, whose messages no longer say who wrote them. */
export interface Person {
  channelId: ChannelId;
  chat: ChatId;
  customer?: CustomerId;
}

export interface FoundPerson extends Person {
  name?: string;
  /** Messages found. */
  count: number;
  /** The newest message: when it was accepted, ms, and how its text begins (`words`). */
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
  /** False while unused space may hold erased data: free space in SQLite's files, or dead rows of PostgreSQL. */
  gone: boolean;
}

/** An erasure that a person requested at their messenger; times in ms. */
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
  /** Lines of a chat that this server hosts. */
  history: { chat: string; at: number; entry: unknown }[];
  notes: { key: string; value: string; updatedAt: number }[];
  files: { id: string; name: string | null; mediaType: string; size: number; createdAt: number }[];
}

/** Removes everything stored about a customer, or an account, for good. */
export interface ErasureStore {
  /** Customers in the account's stored messages whose name, id or words contain the text; newest first. */
  find(accountId: AccountId, text: string): Promise<FoundPerson[]>;
  /**
   * Collects for the person what an erasure would delete, except sealed requests. Undefined when the account has no
   * such chat; `too-large`, and nothing is recorded, when messages and history exceed `maxBytes`.
   */
  export(
    accountId: AccountId,
    person: Person,
    by: Act,
    maxBytes?: number,
  ): Promise<PersonRecords | "too-large" | undefined>;
  /**
   * Undefined when the account has no such chat. After the first transaction nothing of the customer is sent, and work
   * under way stores nothing; small transactions do the rest. A repeated call resumes after a crash.
   */
  customer(accountId: AccountId, person: Person, by: Act): Promise<Erased | undefined>;
  /** Erases an account that is switched off; undefined if it is not. */
  account(accountId: AccountId, by: Act): Promise<Erased | undefined>;
  /**
   * A person asked at their messenger to erase their data in all channels of its kind. Resolves, once that is on disk,
   * with the code under which its state is shown; one `proof` always gets the same code.
   */
  ask(kind: string, customer: CustomerId, proof?: string): Promise<string>;
  /** Undefined when there is no such code. */
  asked(code: string): Promise<AskedErasure | undefined>;
  /** Carries out the requests that `ask` recorded. */
  fulfil(): Promise<Erased[]>;
  /** Finishes interrupted erasures that began at least this long ago, ms. */
  resume(minAgeMs?: number): Promise<Erased[]>;
  /** Called after the first transaction of an erasure, and whenever another process may have begun one. */
  onErased(listener: () => void): void;
  /** Whether one of these chats or customers was erased since the given time, ms, and has not written again. */
  isErased(channelId: ChannelId, names: string[], since: number): Promise<boolean>;
  /** Channels of erased accounts: their sessions and feeds must end. */
  goneChannels(): Promise<ChannelId[]>;
  /**
   * SQLite: rewrites the database so that unused space holds no erased data; false if a reader, or the size, defers
   * that (a large database: to the next start). PostgreSQL: vacuums dead rows and clears statistics; false if an older
   * transaction or another process defers that. Free space of pages, the log and copies keep their bytes.
   */
  removeTraces(): Promise<boolean>;
  /** Records that unused space may hold removed data, for the next `removeTraces`. */
  oweTraces(): Promise<void>;
  /** Backups that still hold data erased after they were made, newest first. */
  backups(): Promise<KnownBackup[]>;
}
