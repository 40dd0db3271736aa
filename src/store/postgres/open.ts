import { type Clock, systemClock } from "gangway-messenger/clock";
import type { Pool } from "pg";
import { DEFAULT_BOUNDS, UNLIMITED } from "../../domain/delivery.ts";
import type { Loop } from "../../domain/loop.ts";
import type { BackupStore } from "../care.ts";
import { erasureStore } from "../erasing/erasure.ts";
import { deadLetters } from "../outbox/decisions.ts";
import { createSealer } from "../secrets.ts";
import { type Store, StoreError, type StoreOptions } from "../store.ts";
import { accountStore, webSessionStore } from "../tables/accounts/accounts.ts";
import { auditStore } from "../tables/accounts/audit.ts";
import { checkKeys, rotation, sealingProofOf, writePing } from "../tables/accounts/keys.ts";
import { readLedger, trafficStore } from "../tables/accounts/ledger.ts";
import { channelStore, LATE_FAILURES, noteStore } from "../tables/channels/channels.ts";
import { journalStore, parkedStore, rawWebhookStore } from "../tables/channels/raw-webhooks.ts";
import type { Engine } from "../tables/engine.ts";
import { messageStore } from "../tables/messages/messages.ts";
import { storyStore } from "../tables/messages/stories.ts";
import { apiTokenStore } from "../tables/vendor/api-tokens.ts";
import { vendorEventStore } from "../tables/vendor/events.ts";
import { condition } from "./care/condition.ts";
import { postgresErasingEngine, retention } from "./care/erasing.ts";
import { connect, followTime, watchSpace } from "./database/connection.ts";
import { createRowCache, postgresEngine } from "./database/engine.ts";
import { isAway } from "./database/faults.ts";
import { aloneOver, serialOverAll } from "./database/locks.ts";
import { assertMigrated, migrateTables } from "./database/migrating.ts";
import { createNotifier } from "./database/notifier.ts";
import { filesIn, SEALED } from "./files/kept-files.ts";
import { outbox } from "./outbox/outbox.ts";
import { sharedJournal } from "./tables/journal.ts";
import { leaseStore, rememberedStore, sealingProofs, sharedPermitStore } from "./tables/leases.ts";
import { settledEvents } from "./tables/open-events.ts";

const BACKUP =
  "Gangway writes no backup of PostgreSQL: use its own tools, pg_dump or base backups with an archive of the log. Keep SECRET_KEYS elsewhere, without which nothing can be opened, and after a restore run gangway after-restore";
const backup: BackupStore = { write: () => Promise.reject(new StoreError(BACKUP)) };

type Options = Omit<StoreOptions, "folder" | "databaseUrl" | "allowRemoteFolder" | "threads"> & { url: string };

/** Throws StoreError when the database is unsafe, cannot be reached, or is sealed with keys the ring lacks. */
export async function openPostgres(options: Options): Promise<Store> {
  const { url, keyRing, shared = false, bounds = shared ? UNLIMITED : DEFAULT_BOUNDS } = options;
  // Loops keep the system's timers, even where a test's clock stands still or runs fast.
  const clock = { ...options.clock, after: systemClock.after };
  const { onLost = () => undefined, onWork = () => undefined } = options;
  const notes = [{ prefix: LATE_FAILURES }, ...(options.erasableNotes ?? [])];
  const pool = await connect(url, onLost, {
    onRows: () => rows.forget(),
    space: watchSpace(options.onFull, clock),
  });
  const notifier = createNotifier(pool);
  const rows = createRowCache(notifier);
  let time: Loop | undefined;
  try {
    const knows = await (shared ? assertMigrated(pool, url) : migrateTables(pool, url));
    const [silent, sealer] = [createSealer(keyRing), createSealer(keyRing, options.onSecret)];
    const engine = postgresEngine(pool, { sealer: silent, rows, changed: notifier.changed });
    time = shared ? undefined : await followTime(engine, clock);
    await checkKeys(engine, { ring: keyRing, shared });
    const { journal, close: stopLooking } = sharedJournal(journalStore(engine, clock), { engine, notifier, clock });
    const files = await filesIn(options, { engine, sealer: silent, clock, bounds });
    const erasingEngine = postgresErasingEngine({ pool, engine, notifier, objects: files.objects });
    const box = outbox({ pool, engine, sealer: silent, clock, bounds, notifier, onWork });
    return {
      accounts: { ...accountStore(engine, sealer, clock), version: notifier.version },
      channels: {
        ...channelStore(engine, sealer, clock, options.secretSettings),
        onChanged: (hear) => notifier.onRows(hear as (accountIds?: string[]) => void),
      },
      ...{ journal, backup, keptFiles: files.keptFiles, outbox: box },
      ...{ notes: noteStore(engine, clock), audit: auditStore(engine, clock) },
      webSessions: webSessionStore(engine, clock),
      ...{ ledger: (accountId) => engine.read((tx) => readLedger(tx, accountId)), messages: messageStore(engine) },
      retention: retention(engine, files.objects, notes),
      rotation: rotation({ engine, ring: keyRing, columns: SEALED, proofs: () => sealingProofs(engine) }),
      condition: condition(engine, { ring: keyRing, bucket: files.bucket }, clock),
      ...vendorStores(pool, engine, clock),
      ...{ stories: storyStore(engine), traffic: trafficStore(engine, clock) },
      ...{ parked: parkedStore(engine, silent, clock), rawWebhooks: rawWebhookStore(engine, silent) },
      dead: deadLetters(engine, box.decide, clock),
      erasure: erasureStore({ erasingEngine, sealer: silent, clock, notes }),
      leases: leaseStore(engine, box.own, { knows, sealing: sealingProofOf(keyRing) }),
      shared: { sharedPermits: sharedPermitStore(engine), remembered: rememberedStore(engine, silent) },
      ...{ serial: serialOverAll(pool, notifier), ping: () => engine.write(() => writePing(clock.now())), isAway },
      close: once(async () => {
        await time?.stop();
        await box.close();
        await stopLooking();
        await erasingEngine.close();
        await notifier.close();
        await pool.end();
      }),
    };
  } catch (error) {
    await time?.stop();
    await notifier.close();
    await pool.end();
    throw error;
  }
}

function vendorStores(pool: Pool, engine: Engine, clock: Clock): Pick<Store, "vendorEvents" | "apiTokens"> {
  const alone = async (work: () => Promise<void>) => void (await aloneOver(pool, "vendor events", work));
  return {
    vendorEvents: vendorEventStore(engine, clock, { settled: settledEvents(engine), alone }),
    apiTokens: apiTokenStore(engine, clock),
  };
}

/** Acts once, however often it is called. */
function once(act: () => Promise<void>): () => Promise<void> {
  let acted: Promise<void> | undefined;
  return () => {
    acted ??= act();
    return acted;
  };
}
