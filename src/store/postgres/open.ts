import { DEFAULT_BOUNDS, UNLIMITED } from "../../domain/delivery/overload.ts";
import { systemClock } from "../../domain/time/clock.ts";
import type { BackupStore } from "../care.ts";
import { erasureStore } from "../erasing/erasure.ts";
import { deadLetters } from "../outbox/dead.ts";
import { createSealer } from "../secrets.ts";
import { type Store, StoreError, type StoreOptions } from "../store.ts";
import { accountStore } from "../tables/accounts.ts";
import { auditStore } from "../tables/audit.ts";
import { channelStore } from "../tables/channels.ts";
import { journalStore } from "../tables/journal.ts";
import { checkKeys, sealingProofOf, writePing } from "../tables/keys.ts";
import { readLedger } from "../tables/ledger.ts";
import { messageStore } from "../tables/messages.ts";
import { LATE_FAILURES, noteStore } from "../tables/notes.ts";
import { parkedStore } from "../tables/parked.ts";
import { rawWebhookStore } from "../tables/raw-webhooks.ts";
import { rotation } from "../tables/rotation.ts";
import { storyStore } from "../tables/stories.ts";
import { trafficStore } from "../tables/traffic.ts";
import { webSessionStore } from "../tables/web-sessions.ts";
import { condition } from "./condition.ts";
import { connect } from "./connection.ts";
import { postgresEngine } from "./engine.ts";
import { postgresGround } from "./erasing.ts";
import { isAway } from "./faults.ts";
import { sharedJournal } from "./journal.ts";
import { filesIn } from "./kept-files.ts";
import { SEALED } from "./kept-objects.ts";
import { leaseStore, sealingProofs } from "./leases.ts";
import { serialOverAll } from "./locks.ts";
import { assertMigrated, migrateTables } from "./migrating.ts";
import { outbox } from "./outbox/outbox.ts";
import { PARKING } from "./parking.ts";
import { retention } from "./retention.ts";
import { createRowCache } from "./row-cache.ts";
import { guestStore, rememberedStore } from "./shared.ts";
import { watchSpace } from "./space.ts";
import { createTelling } from "./telling.ts";
import { followTime } from "./time.ts";
import { recentOf } from "./traffic.ts";

const BACKUP =
  "Gangway writes no backup of PostgreSQL: use its own tools, pg_dump or base backups with an archive of the log. Keep SECRET_KEYS elsewhere, without which nothing can be opened, and after a restore run gangway after-restore";
const backup: BackupStore = { write: () => Promise.reject(new StoreError(BACKUP)) };

type Options = Pick<
  StoreOptions,
  | "keyRing"
  | "clock"
  | "onSecret"
  | "secretSettings"
  | "bounds"
  | "expiringNotes"
  | "shared"
  | "bucket"
  | "onBucketFault"
  | "onLost"
  | "onFull"
  | "onWork"
> & { url: string };

/** Throws StoreError when the database is unsafe, cannot be reached, or is sealed with keys the ring lacks. */
export async function openPostgres(options: Options): Promise<Store> {
  const { url, keyRing, shared = false, bounds = shared ? UNLIMITED : DEFAULT_BOUNDS } = options;
  // It looks some times a second, also where a test's clock stands or hurries.
  const clock = { ...options.clock, after: systemClock.after };
  const { onLost = () => undefined, onWork = () => undefined } = options;
  const expiring = [{ prefix: LATE_FAILURES }, ...(options.expiringNotes ?? [])];
  const pool = await connect(url, onLost, () => rows.forget(), watchSpace(options.onFull, clock));
  const telling = createTelling(pool);
  const rows = createRowCache(telling);
  try {
    const knows = await (shared ? assertMigrated(pool, url) : migrateTables(pool, url));
    const [silent, sealer] = [createSealer(keyRing), createSealer(keyRing, options.onSecret)];
    const engine = postgresEngine(pool, { sealer: silent, rows, changed: telling.changed });
    const time = shared ? undefined : await followTime(engine, clock);
    const keys = { ring: keyRing, search: "strpos" } as const;
    await checkKeys(engine, { ...keys, shared });
    const { journal, close: stopLooking } = sharedJournal(journalStore(engine, clock), { engine, telling, clock });
    const files = await filesIn(options, { engine, sealer: silent, clock, bounds });
    const ground = postgresGround({ pool, engine, telling, objects: files.objects });
    const box = outbox({ pool, engine, sealer: silent, clock, bounds, telling, onWork });
    return {
      accounts: { ...accountStore(engine, sealer, clock), version: telling.version },
      channels: {
        ...channelStore(engine, sealer, clock, options.secretSettings),
        onChanged: (hear) => telling.onRows(hear as (accountIds?: string[]) => void),
      },
      ...{ journal, backup, keptFiles: files.keptFiles, outbox: box },
      notes: noteStore(engine, clock),
      webSessions: webSessionStore(engine, clock),
      audit: auditStore(engine, clock),
      ledger: (accountId) => engine.read((tx) => readLedger(tx, accountId)),
      stories: storyStore(engine),
      messages: messageStore(engine),
      retention: retention(engine, files.objects, expiring),
      rotation: rotation({ engine, ...keys, columns: SEALED, proofs: () => sealingProofs(engine) }),
      condition: condition(engine, { ring: keyRing, bucket: files.bucket }, clock),
      traffic: trafficStore(engine, recentOf(engine), clock),
      parked: parkedStore(engine, PARKING, silent, clock),
      rawWebhooks: rawWebhookStore(engine, silent),
      dead: deadLetters(engine, box.decide, clock),
      erasure: erasureStore({ ground, sealer: silent, clock, expiring }),
      leases: leaseStore(engine, box.held, { knows, sealing: sealingProofOf(keyRing) }),
      serial: serialOverAll(pool, telling),
      shared: { guests: guestStore(engine), remembered: rememberedStore(engine, silent) },
      ...{ ping: () => engine.write(() => writePing(clock.now())), isAway },
      close: once(async () => {
        await time?.stop();
        await box.close();
        await stopLooking();
        await ground.close();
        await telling.close();
        await pool.end();
      }),
    };
  } catch (error) {
    await telling.close();
    await pool.end();
    throw error;
  }
}

/** Acts once, however often it is called. */
function once(act: () => Promise<void>): () => Promise<void> {
  let acted: Promise<void> | undefined;
  return () => {
    acted ??= act();
    return acted;
  };
}
