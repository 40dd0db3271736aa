import type { Clock } from "../domain/clock.ts";
import type { Bounds } from "../domain/overload.ts";
import type { AccountStore, WebSessionStore } from "./accounts.ts";
import type { AuditStore } from "./audit.ts";
import type { BackupStore, Condition, ExpiringNotes, Retention, Rotation } from "./care.ts";
import type { ChannelStore, JournalStore, KeptFileStore, NoteStore, SecretSettings } from "./channels.ts";
import type { DeadLetters } from "./dead.ts";
import type { MessageStore, RawWebhookStore } from "./messages.ts";
import type { Ledger, Outbox } from "./outbox.ts";
import type { KeyRing } from "./secrets.ts";

/**
 * The port: everything that is kept, as verbs. Each resolves after its own transaction. How it is kept is the matter of the
 * folders beneath, sqlite/, disk/ and care/: no row and no SQL leaves them.
 */
export interface Store {
  accounts: AccountStore;
  channels: ChannelStore;
  messages: MessageStore;
  outbox: Outbox;
  ledger: Ledger;
  rawWebhooks: RawWebhookStore;
  journal: JournalStore;
  notes: NoteStore;
  keptFiles: KeptFileStore;
  webSessions: WebSessionStore;
  audit: AuditStore;
  dead: DeadLetters;
  backup: BackupStore;
  rotation: Rotation;
  retention: Retention;
  condition: Condition;
  /** Resolves when a write has reached the disk; rejects when it cannot. */
  ping(): Promise<void>;
  /** Whether the files of the database are still those that were opened. Absent beside a server. */
  underneath?: Underneath;
  /** Looks how much of the disk is free; below its floor nothing more is taken until the next look. */
  lookAtDisk(): Promise<DiskRoom>;
  close(): void;
}

export interface StoreOptions {
  folder: string;
  keyRing: KeyRing;
  clock: Clock;
  /** Told every secret that is opened, for the log's mask. */
  onSecret?: (plain: string) => void;
  /** Which of a channel's settings are secrets; absent: none. */
  secretSettings?: SecretSettings;
  /** Which notes are deleted when they are old; absent: none. */
  expiringNotes?: ExpiringNotes[];
  allowRemoteFolder?: boolean;
  /** Beside a server that runs on the same folder. */
  shared?: boolean;
  bounds?: Bounds;
}

export interface DiskRoom {
  freeBytes: number;
  totalBytes: number;
  /** Nothing more is taken. */
  belowFloor: boolean;
}

/**
 * The files under an open database. SQLite goes on writing into one that was deleted or replaced, and all of that is lost with
 * the process; so whoever is answered that something is stored is answered only after a look at them.
 */
export interface Underneath {
  /** What has happened to a file, in words for the operator. */
  look(): string | undefined;
  /** Throws StoreError when something has. */
  assertThere(): void;
  /** Resolves with the first thing that was found. */
  lost: Promise<Finding>;
}

interface Finding {
  why: string;
  /** For the operator. */
  todo: string;
}

/** What a fault is about, where that decides what to do: a file that is damaged or gone, the keys, a full disk or perhaps one. */
export type FaultKind = "damaged" | "lost" | "keys" | "full" | "perhaps-full";

/** The database cannot be used safely; the message is for the operator. */
export class StoreError extends Error {
  readonly kind: FaultKind | undefined;
  constructor(message: string, kind?: FaultKind) {
    super(message);
    this.name = "StoreError";
    this.kind = kind;
  }
}

export const RESTORE = "gangway restore <backup> --force";
