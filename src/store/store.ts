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
  /** Serializes form submissions across all processes on the database. */
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
  /** Whether the error means that the database is temporarily unreachable or full. */
  isAway(error: unknown): boolean;
  /** Absent on PostgreSQL, whose server keeps the files. */
  disk?: DatabaseDisk;
  close(): Promise<void>;
}

/** The disk that the database's files are on. */
export interface DatabaseDisk {
  /** Checks the whole database in a thread, once built. An abort ends it with undefined. */
  findDamage(signal: AbortSignal): Promise<string | undefined>;
  /** Damage was found: from now on writes fail, and the next start checks the database before it is ready. */
  condemn(how: string): void;
  /** Absent on a shared connection. */
  files?: DatabaseFiles;
  /** Measures free space. Below the floor, new work is refused until the next check. */
  check(): Promise<DiskSpace>;
  /** Updates the marker: the number of accepted events, beside the database. Rejects when writing fails. */
  mark(): Promise<void>;
}

/** A bucket of a store that speaks S3. */
export interface BucketAccess {
  /** Address of the bucket, or of a folder in it; no trailing slash. */
  url: string;
  keyId: string;
  secret: string;
  region: string;
  /** Calls that address. */
  call: Call;
}

export interface StoreOptions {
  folder: string;
  /** PostgreSQL address: everything is stored there, nothing in the folder. */
  databaseUrl?: string;
  /** On PostgreSQL: where kept files are, instead of the database. */
  bucket?: BucketAccess;
  keyRing: KeyRing;
  clock: Clock;
  /** Called with every secret sealed or opened, for the log's mask. */
  onSecret?: (plain: string) => void;
  /** Extracts the secrets of a channel's settings; absent: none. */
  secretSettings?: SecretSettings;
  /** Notes that expire, or go with a customer; absent: none. */
  erasableNotes?: NotePrefix[];
  allowRemoteFolder?: boolean;
  /** A command's connection while a server runs on the same folder. */
  shared?: boolean;
  bounds?: Bounds;
  /** Whether worker-thread programs exist: they are files of the build. */
  threads?: boolean;
  /** On PostgreSQL: an account that this process has taken may have new work. */
  onWork?(accountId: AccountId): void;
  /** PostgreSQL only: called once when connections are lost (with the error), and once when one is back (undefined). */
  onLost?(error?: Error): void;
  /**
   * PostgreSQL only: called once when its disk is full (with the error), and once when it has space again (undefined).
   */
  onFull?(error?: Error): void;
  /** A file could not be stored in the bucket, or read. */
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

/** Faults by remedy: damaged or missing file, lost end of the log, wrong keys, disk (perhaps) full, program too old. */
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
