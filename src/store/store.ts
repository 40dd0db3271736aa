import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { Serial } from "gangway-messenger/concurrency";
import type { Bounds } from "../domain/delivery.ts";
import type { AccountId } from "../domain/ids.ts";
import type { AccountStore, LeaseStore, Remembered, SharedPermits, Traffic, WebSessionStore } from "./accounts.ts";
import type { AuditStore, BackupStore, Condition, ErasureStore, NotePrefix, Retention, Rotation } from "./care.ts";
import type { ChannelStore, JournalStore, KeptFileStore, NoteStore, SecretSettings } from "./channels.ts";
import type { DeadLetters, MessageStore, ParkedStore, RawWebhookStore, Stories } from "./messages.ts";
import type { Ledger, Outbox } from "./outbox.ts";
import type { KeyRing } from "./secrets.ts";
import type { ApiTokens, VendorEvents } from "./vendor.ts";

/**
 * The port: all persistent state, as verbs. Each resolves after its own transaction. Rows and SQL stay in this
 * folder.
 */
export interface Store {
  accounts: AccountStore;
  channels: ChannelStore;
  messages: MessageStore;
  leases: LeaseStore;
  /** Runs acts of the same key one at a time, across all processes on the database, such as two forms. */
  serial: Serial<string>;
  /** Present where several processes share the database. */
  shared?: { sharedPermits: SharedPermits; remembered: Remembered };
  outbox: Outbox;
  ledger: Ledger;
  rawWebhooks: RawWebhookStore;
  parked: ParkedStore;
  journal: JournalStore;
  notes: NoteStore;
  keptFiles: KeptFileStore;
  webSessions: WebSessionStore;
  audit: AuditStore;
  dead: DeadLetters;
  erasure: ErasureStore;
  stories: Stories;
  traffic: Traffic;
  backup: BackupStore;
  rotation: Rotation;
  retention: Retention;
  condition: Condition;
  vendorEvents: VendorEvents;
  apiTokens: ApiTokens;
  /** Resolves when a write has reached the disk; rejects if it fails. */
  ping(): Promise<void>;
  /** Whether the error means that the database is away, or full, for now. */
  isAway(error: unknown): boolean;
  /** Absent on PostgreSQL, whose server keeps the files. */
  disk?: DatabaseDisk;
  close(): Promise<void>;
}

/** The disk that the database's files are on. */
export interface DatabaseDisk {
  /** Checks the whole database in a thread of the build. Undefined: no damage, or aborted. */
  findDamage(signal: AbortSignal): Promise<string | undefined>;
  /** Damage was found: from now on writes fail, and the next start checks the database before it is ready. */
  condemn(how: string): void;
  /** Absent on a shared connection. */
  files?: DatabaseFiles;
  /** Measures free space. Below the floor, new work is refused until the next check. */
  check(): Promise<DiskSpace>;
  /** Writes beside the database how many events it has accepted, if that has changed. Rejects when that fails. */
  mark(): Promise<void>;
}

/** A bucket of a store that speaks S3. */
export interface BucketAccess {
  /** Address of the bucket, or of a folder in it; no trailing slash. */
  url: string;
  keyId: string;
  secret: string;
  region: string;
  /** Makes the calls to the bucket. */
  call: Call;
}

export interface StoreOptions {
  folder: string;
  /** PostgreSQL's address; if set, everything is stored there, and nothing in the folder. */
  databaseUrl?: string;
  /** On PostgreSQL: where kept files are, instead of the database. */
  bucket?: BucketAccess;
  keyRing: KeyRing;
  clock: Clock;
  /** Called with every secret sealed or opened, for the log's mask. */
  onSecret?: (plain: string) => void;
  /** Extracts the secrets of a channel's settings; absent: none. */
  secretSettings?: SecretSettings;
  /** Notes that expire, or are erased with a customer; absent: none. */
  erasableNotes?: NotePrefix[];
  allowRemoteFolder?: boolean;
  /** A command's connection while a server runs on the same folder. */
  shared?: boolean;
  bounds?: Bounds;
  /** Threads can run: their programs are files of the build. */
  threads?: boolean;
  /** On PostgreSQL: an account that this process has taken may have new work. */
  onWork?(accountId: AccountId): void;
  /** On PostgreSQL: connections were lost, with the error, or (undefined) one was made again. Called once each time. */
  onLost?(error?: Error): void;
  /** On PostgreSQL: its disk is full, with the error, or (undefined) it stores again. Called once each time. */
  onFull?(error?: Error): void;
  /** A file could not be stored in, or read from, the bucket. */
  onBucketFault?(error: Error): void;
}

export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
  /** New work is refused. */
  belowFloor: boolean;
}

/**
 * The files of an open database. SQLite keeps writing to a deleted or replaced file, and those writes are lost when the
 * process ends, so check the files before confirming a commit.
 */
export interface DatabaseFiles {
  /** What happened to a file, for the operator; undefined when all are intact. */
  check(): string | undefined;
  /** Throws StoreError when a file is not intact. */
  assertIntact(): void;
  /** Runs `work`, during which this process itself resizes the files. */
  resizing<T>(work: () => Promise<T>): Promise<T>;
  /** Reports damage within the files. */
  condemn(how: string): void;
  /** Resolves with the first fault found. */
  lost: Promise<Finding>;
}

interface Finding {
  why: string;
  /** Instruction for the operator. */
  todo: string;
}

/**
 * Faults that need different remedies: a damaged or missing file, a log that lost its end, wrong keys, a full disk
 * (certain or suspected), a program that is too old, a server that is away.
 */
type FaultKind = "damaged" | "lost" | "incomplete" | "keys" | "full" | "perhaps-full" | "old" | "away";

/** The database cannot be used safely; the message is for the operator. */
export class StoreError extends Error {
  readonly kind: FaultKind | undefined;
  constructor(message: string, kind?: FaultKind) {
    super(message);
    this.name = "StoreError";
    this.kind = kind;
  }
}

export const RESTORE_COMMAND = "gangway restore <backup> --force";
