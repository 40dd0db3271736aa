import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Clock } from "../domain/clock.ts";
import type { Bounds } from "../domain/overload.ts";
import { type AccountStore, accountStore } from "./accounts.ts";
import { type ChannelStore, channelStore } from "./channels.ts";
import { type Database, openDatabase, StoreError } from "./db.ts";
import { type JournalStore, journalStore } from "./journal.ts";
import { type KeptFileStore, keptFileStore } from "./kept-files.ts";
import { type MessageStore, messageStore } from "./messages.ts";
import { type NoteStore, noteStore } from "./notes.ts";
import { type Outbox, outbox } from "./outbox.ts";
import type { DiskRoom } from "./pressure.ts";
import { meta } from "./schema.ts";
import { createSealer, type KeyRing, SealError, type Sealer } from "./secrets.ts";
import { type WebSessionStore, webSessionStore } from "./web-sessions.ts";

/** Everything that is kept. Every function resolves after its own transaction; rows and SQL stay in this folder. */
export interface Store {
  accounts: AccountStore;
  channels: ChannelStore;
  messages: MessageStore;
  outbox: Outbox;
  journal: JournalStore;
  notes: NoteStore;
  keptFiles: KeptFileStore;
  webSessions: WebSessionStore;
  /** Resolves when a write has reached the disk; rejects when it cannot. */
  ping(): Promise<void>;
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
  allowRemoteFolder?: boolean;
  bounds?: Bounds;
}

/** Throws StoreError when the database is unsafe, locked, damaged, or sealed with keys the ring lacks. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { folder, clock } = options;
  const db = openDatabase(folder, { allowRemoteFolder: options.allowRemoteFolder, bounds: options.bounds });
  try {
    const sealer = createSealer(options.keyRing, options.onSecret);
    await checkKeys(db, createSealer(options.keyRing));
    return {
      accounts: accountStore(db, sealer, clock),
      channels: channelStore(db, sealer, clock),
      messages: messageStore(db),
      outbox: outbox(db, clock),
      journal: journalStore(db, clock),
      notes: noteStore(db, clock),
      keptFiles: keptFileStore(db, clock, folder),
      webSessions: webSessionStore(db, clock),
      ping: () =>
        db.write(
          () =>
            void db.orm
              .insert(meta)
              .values({ key: "ping", value: "" })
              .onConflictDoUpdate({ target: meta.key, set: { value: String(clock.now()) } })
              .run(),
        ),
      lookAtDisk: db.pressure.look,
      close: db.close,
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A sealed value from the first start must open: a wrong key ring stops the start, not the first message. */
async function checkKeys(db: Database, sealer: Sealer): Promise<void> {
  const place = { table: "meta", row: "key_check", column: "value" };
  const known = db.orm.select().from(meta).where(eq(meta.key, place.row)).get();
  if (!known) {
    const value = sealer.seal(randomBytes(16).toString("base64url"), place);
    await db.write(() => void db.orm.insert(meta).values({ key: place.row, value }).run());
    return;
  }
  try {
    sealer.open(known.value, place);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new StoreError(`SECRET_KEYS does not fit this database: ${error.message}`);
  }
}
