import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Clock } from "../domain/clock.ts";
import type { Bounds } from "../domain/overload.ts";
import { type AccountStore, accountStore } from "./accounts.ts";
import { type AuditStore, auditStore } from "./audit.ts";
import { type BackupStore, backupStore } from "./backup.ts";
import { type ChannelStore, channelStore, type SecretSettings } from "./channels.ts";
import { type Condition, condition } from "./condition.ts";
import { type Database, openDatabase } from "./db.ts";
import { type DeadLetters, deadLetters } from "./dead.ts";
import { type JournalStore, journalStore } from "./journal.ts";
import { type KeptFileStore, keptFileStore } from "./kept-files.ts";
import { type Ledger, ledger } from "./ledger.ts";
import { type MessageStore, messageStore } from "./messages.ts";
import { type NoteStore, noteStore } from "./notes.ts";
import { type Outbox, outbox } from "./outbox.ts";
import type { DiskRoom } from "./pressure.ts";
import { type RawWebhookStore, rawWebhookStore } from "./raw-webhooks.ts";
import { type ExpiringNotes, type Retention, retention } from "./retention.ts";
import { type Rotation, rotation } from "./rotation.ts";
import { meta } from "./schema.ts";
import { KEY_CHECK, keyIdOf, neededKeys, SEALING } from "./sealed.ts";
import { createSealer, type KeyRing, SealError } from "./secrets.ts";
import { StoreError } from "./store-error.ts";
import type { Underneath } from "./underneath.ts";
import { type WebSessionStore, webSessionStore } from "./web-sessions.ts";

/** Everything that is kept. Every function resolves after its own transaction; rows and SQL stay in this folder. */
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

/** Throws StoreError when the database is unsafe, locked, damaged, or sealed with keys the ring lacks. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { folder, clock, shared = false, allowRemoteFolder, bounds } = options;
  const db = openDatabase(folder, { allowRemoteFolder, bounds, shared });
  try {
    const sealer = createSealer(options.keyRing, options.onSecret);
    const silent = createSealer(options.keyRing);
    await checkKeys(db, options.keyRing, shared);
    return {
      accounts: accountStore(db, sealer, clock),
      channels: channelStore(db, sealer, clock, options.secretSettings),
      messages: messageStore(db),
      outbox: outbox(db, silent, clock),
      ledger: ledger(db),
      rawWebhooks: rawWebhookStore(db, silent),
      journal: journalStore(db, clock),
      notes: noteStore(db, clock),
      keptFiles: keptFileStore(db, clock, folder),
      webSessions: webSessionStore(db, clock),
      audit: auditStore(db, clock),
      dead: deadLetters(db, clock),
      backup: backupStore(folder, options.keyRing, clock),
      rotation: rotation(db, options.keyRing, folder),
      retention: retention(db, folder, options.expiringNotes),
      condition: condition(db, options.keyRing, folder),
      ping: () => db.write(() => setMeta(db, "ping", String(clock.now()))),
      underneath: db.underneath,
      lookAtDisk: db.pressure.look,
      close: db.close,
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function setMeta(db: Database, key: string, value: string): void {
  db.orm.insert(meta).values({ key, value }).onConflictDoUpdate({ target: meta.key, set: { value } }).run();
}

/** A sealed value from the first start must open: a wrong key ring stops the start, not the first message. */
async function checkKeys(db: Database, ring: KeyRing, shared: boolean): Promise<void> {
  const sealer = createSealer(ring);
  const seal = (at: typeof SEALING) => sealer.seal(randomBytes(16).toString("base64url"), at.place(""));
  const known = db.orm.select().from(meta).where(eq(meta.key, "key_check")).get();
  try {
    if (known) sealer.open(known.value, KEY_CHECK.place(""));
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const id = keyIdOf(known?.value ?? "");
    const why = ring.keys.some((key) => key.id === id) ? error.message : `it lacks the key "${id}"`;
    throw new StoreError(`SECRET_KEYS does not fit this database: ${why}`, "keys");
  }
  const lacking = [...neededKeys(db)].filter((id) => !ring.keys.some((key) => key.id === id));
  if (lacking.length > 0)
    throw new StoreError(
      `SECRET_KEYS lacks ${lacking.map((id) => `"${id}"`).join(", ")}, which seals accounts or channels`,
      "keys",
    );
  if (shared) return;
  await db.write(() => {
    if (!known) setMeta(db, "key_check", seal(KEY_CHECK));
    setMeta(db, "sealing_key", seal(SEALING));
  });
}
