/** One thing that was looked at; `faults` are for the operator and hold no secret. */
export interface Check {
  name: string;
  /** What it is about: faults of the file or of the keys make a copy useless, with those of its content one can live. */
  kind: "file" | "keys" | "content";
  /** How much was looked at, in words. */
  seen: string;
  faults: string[];
}

export interface BackupReport {
  file: string;
  /** Of the database. */
  bytes: number;
  /** Kept files beside it. */
  files: number;
  checks: Check[];
}

/** Copies of everything, beside a server that runs. */
export interface BackupStore {
  /**
   * Writes the database to `target` and kept files to `<target>.files`: all that was committed when it began. They
   * get their names only when they are whole. Faults of the database's own content are in the copy as well, and in its
   * checks. Throws StoreError.
   */
  write(target: string): Promise<BackupReport>;
}

export interface Figures {
  /** A server runs on the folder; or, in words, why that cannot be told. */
  served: boolean | string;
  /** `ok`, or what is wrong with the file. */
  quickCheck: string;
  bytes: { database: number; log: number; free: number };
  disk: { free: number; all: number };
  jobs: Record<"waiting" | "held" | "dead", number>;
  /** When the oldest work that waits was accepted, ms. */
  oldestWaiting?: number;
  /** The newest time that stands in the database, ms. */
  newest?: number;
  /** Sealed values of accounts and channels that do not open, in words. */
  unopened: string[];
  /** Channels that are stopped, or have a trouble. */
  troubled: { id: string; accountId: string; name: string; state: string; trouble: string }[];
}

/** How the database is, for an operator. */
export interface Condition {
  figures(): Promise<Figures>;
  /** Everything that must hold; takes as long as the database is large. */
  verify(): Promise<Check[]>;
}

/** Where the next batch begins. */
export interface RotationCursor {
  column: number;
  after: number;
}

export interface RotationBatch {
  /** Absent at the end. */
  next?: RotationCursor;
  /** How many values each older key has given up. */
  moved: Record<string, number>;
  unopened: UnopenedValue[];
}

/** A value that no key of the ring opens; it stays as it is. */
export interface UnopenedValue {
  table: string;
  /** The row's id. */
  row: string;
  column: string;
  /** The key that it names. */
  key: string;
  reason: string;
}

/** Seals everything with the first key of the ring again, beside the running server. */
export interface Rotation {
  /** Why it must not begin, in words; undefined when it may. */
  refusal(): Promise<string | undefined>;
  /** One batch in one transaction. What is done stays done, so that it may be cut and begun again. */
  batch(cursor: RotationCursor): Promise<RotationBatch>;
  /** All batches are done: what did not open needs no key from here on. */
  finished(moved: Record<string, number>, unopened: number): Promise<void>;
}

/** What grows with time, and is deleted when it is old. */
export type Kind =
  | "settled"
  | "dead"
  | "dedupe"
  | "messages"
  | "audit"
  | "webhooks"
  | "journal"
  | "files"
  | "notes"
  | "sessions";

/** Deletes what is old, a few rows in a transaction each; never a job that lives or is held. */
export interface Retention {
  /** By channel: when the oldest work was accepted that lives or is held. What it may need is not deleted. */
  living(): Promise<Living>;
  /** Looks at a batch of rows after a place and deletes those that are older than `before`. */
  sweep(kind: Kind, before: number, living: Living, after: number): Promise<Swept>;
  /** The same for files that no line of a journal names, uploads that were never sent; places are times. */
  sweepUnsent(before: number, after: number): Promise<Swept>;
  /** Deletes bytes whose row is gone, or never came because of a crash. */
  sweepFolder(before: number): Promise<number>;
}

export type Living = ReadonlyMap<string, number>;

/** `next` is where the next batch begins; absent at the end. */
export interface Swept {
  deleted: number;
  next?: number;
}

/** Notes whose keys begin so, of one kind of channel or of every kind. */
export interface ExpiringNotes {
  kind?: string;
  prefix: string;
}
