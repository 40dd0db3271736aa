import { join } from "node:path";
import { serialByKey } from "gangway-messenger/concurrency";
import { backupStore } from "./care/backup.ts";
import { condition, findDamageIn } from "./care/condition.ts";
import { retention, sqliteErasingEngine } from "./care/erasing.ts";
import { isDiskFull } from "./disk/faults.ts";
import { FILES, markSuspect } from "./disk/folder.ts";
import { isServed } from "./disk/instance-lock.ts";
import { erasureStore } from "./erasing/erasure.ts";
import { deadLetters } from "./outbox/decisions.ts";
import { createSealer } from "./secrets.ts";
import { openDatabase } from "./sqlite/database/db.ts";
import { MESSAGE_EVENTS } from "./sqlite/database/message-events.ts";
import { rewriteHere, rewriteInThread } from "./sqlite/database/traces.ts";
import { deciding } from "./sqlite/outbox/accepting.ts";
import { outbox } from "./sqlite/outbox/outbox.ts";
import { leaseStore, sqliteEngine } from "./sqlite/tables/engine.ts";
import { keptFilesIn } from "./sqlite/tables/kept-files.ts";
import type { Store, StoreOptions } from "./store.ts";
import { accountStore, webSessionStore } from "./tables/accounts/accounts.ts";
import { auditStore } from "./tables/accounts/audit.ts";
import { checkKeys, rotation, sealingProof, writePing } from "./tables/accounts/keys.ts";
import { readLedger, trafficStore } from "./tables/accounts/ledger.ts";
import { channelStore, LATE_FAILURES, noteStore } from "./tables/channels/channels.ts";
import { journalStore, parkedStore, rawWebhookStore } from "./tables/channels/raw-webhooks.ts";
import { messageStore } from "./tables/messages/messages.ts";
import { storyStore } from "./tables/messages/stories.ts";
import { apiTokenStore } from "./tables/vendor/api-tokens.ts";
import { vendorEventStore } from "./tables/vendor/events.ts";

const ONE_PROCESS = {
  settled: async () => true,
  alone: (work: () => Promise<void>) => work(),
  trigger: MESSAGE_EVENTS,
};

/** Opens the store. Throws StoreError when the database is unsafe, locked, damaged, or sealed with keys the ring lacks. */
export async function openStore(options: StoreOptions): Promise<Store> {
  if (options.databaseUrl === undefined) return openSqlite(options);
  // Loaded late: most servers run on SQLite.
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres({ ...options, url: options.databaseUrl });
}

async function openSqlite(options: StoreOptions): Promise<Store> {
  const { folder, clock, shared = false, allowRemoteFolder, bounds } = options;
  const silent = createSealer(options.keyRing);
  const notes = [{ prefix: LATE_FAILURES }, ...(options.erasableNotes ?? [])];
  const db = openDatabase(folder, { allowRemoteFolder, bounds, shared, sealer: silent });
  try {
    const sealer = createSealer(options.keyRing, options.onSecret);
    const engine = sqliteEngine(db);
    await checkKeys(engine, { ring: options.keyRing, shared });
    const erasingEngine = sqliteErasingEngine(db, folder, options.threads ? rewriteInThread : rewriteHere);
    return {
      accounts: { ...accountStore(engine, sealer, clock), version: db.versions.of },
      channels: { ...channelStore(engine, sealer, clock, options.secretSettings), onChanged: () => undefined },
      messages: messageStore(engine),
      leases: leaseStore(db),
      serial: serialByKey(),
      outbox: outbox(db, silent, clock),
      ledger: (accountId) => engine.read((tx) => readLedger(tx, accountId)),
      rawWebhooks: rawWebhookStore(engine, silent),
      parked: parkedStore(engine, silent, clock),
      journal: { ...journalStore(engine, clock), follow: () => undefined },
      notes: noteStore(engine, clock),
      keptFiles: keptFilesIn(db, clock, join(folder, FILES)),
      webSessions: webSessionStore(engine, clock),
      audit: auditStore(engine, clock),
      dead: deadLetters(engine, deciding(db, silent, clock), clock),
      erasure: erasureStore({ erasingEngine, sealer: silent, clock, notes }),
      stories: storyStore(engine),
      traffic: trafficStore(engine, clock),
      backup: backupStore(folder, options.keyRing, clock),
      rotation: rotation({
        ...{ engine, ring: options.keyRing },
        proofs: async () => (isServed(folder) ? engine.read(sealingProof) : []),
      }),
      retention: retention(db, folder, notes),
      condition: condition(db, options.keyRing, folder),
      vendorEvents: vendorEventStore(engine, clock, ONE_PROCESS),
      apiTokens: apiTokenStore(engine, clock),
      ping: () => engine.write(() => writePing(clock.now())),
      isAway: isDiskFull,
      disk: {
        findDamage: findDamageIn(folder),
        condemn(how) {
          markSuspect(folder);
          db.databaseFiles?.condemn(how);
        },
        files: db.databaseFiles,
        check: db.disk.check,
        mark: async () => db.mark(),
      },
      async close() {
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}
