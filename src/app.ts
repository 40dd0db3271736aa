import { randomUUID } from "node:crypto";
import { createOutgoing } from "./calls/outgoing.ts";
import { withoutEchoes } from "./calls/redaction.ts";
import type { ChannelAdapter } from "./channels/port.ts";
import { adapters as allAdapters } from "./channels/registry.ts";
import { secretSettings } from "./channels/secret-settings.ts";
import type { Config } from "./config.ts";
import { type Account, works } from "./domain/account.ts";
import type { Call } from "./domain/call.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import type { AccountId, ChannelId } from "./domain/ids.ts";
import { type ClientAddress, clientAddresses, missingProxies } from "./domain/proxies.ts";
import { createPermits } from "./gateway/limiter.ts";
import { emptyAnswers } from "./gateway/word.ts";
import { metricsSite } from "./http/metrics.ts";
import { createSite } from "./http/site.ts";
import type { Log } from "./log.ts";
import { activity } from "./module/activity.ts";
import { channelVerbs } from "./module/channels.ts";
import { type Confirmation, confirming } from "./module/confirmation.ts";
import { connecting, renewing } from "./module/connect.ts";
import { type Housekeeping, housekeeping } from "./module/housekeeping.ts";
import { recallCalls } from "./module/recall.ts";
import { visiting } from "./module/visits.ts";
import { watching } from "./module/watch.ts";
import { createAcceptInbound } from "./relay/accept/inbound.ts";
import { createAcceptOutbound } from "./relay/accept/outbound.ts";
import { AVATAR_NOTES } from "./relay/deliver/avatars.ts";
import { createPerform } from "./relay/deliver/jobs.ts";
import { createMeter } from "./relay/deliver/meter.ts";
import { type Excuse, excused } from "./relay/deliver/quarantine.ts";
import { createStrays } from "./relay/deliver/strays.ts";
import { createBreakers } from "./relay/dispatch/breaker.ts";
import { createPaces } from "./relay/dispatch/pace.ts";
import { createResting } from "./relay/dispatch/resting.ts";
import { createFeeds } from "./relay/sessions/feeds.ts";
import { createGateways, type Outside } from "./relay/sessions/gateways.ts";
import { createJournals } from "./relay/sessions/journals.ts";
import { createSessions } from "./relay/sessions/sessions.ts";
import { createWorker, verdictOf, type Worker } from "./relay/worker.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";
import { watchDatabase } from "./watch/database.ts";
import { watchDisk } from "./watch/disk.ts";
import { type LedgerWatch, watchLedger } from "./watch/ledger.ts";

export interface App {
  fetch: ReturnType<typeof createSite>["fetch"];
  /** For a port of its own; absent unless it is wanted. */
  metrics?: ReturnType<typeof metricsSite>["fetch"];
  /** Recovers after a crash and begins to relay. Rejects when it cannot, after what it began has ended. */
  start(): Promise<void>;
  /** Says that it is not ready, and finishes what is under way; the doors still store what comes. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface Parts {
  log: Log;
  /** For tests: the other side without a socket. */
  call?: Call;
  clock?: Clock;
  adapters?: ChannelAdapter[];
  /** Bytes of the process, for the metrics. */
  memory?(): { rss: number; heapUsed: number };
  /** The database was deleted, replaced or put out of reach underneath: nothing can be stored any more, and nothing closed. */
  lost?(why: string): void;
}

/** The composition root: everything is made here and handed on. Throws StoreError. */
export async function createApp(config: Config, parts: Parts): Promise<App> {
  const { log, clock = systemClock, adapters = allAdapters } = parts;
  const outgoing = parts.call ? undefined : createOutgoing({ allowLoopback: config.sandbox });
  const call = withoutEchoes(parts.call ?? (outgoing?.call as Call), log.mask);
  const store = await openStore({
    folder: config.dataFolder,
    keyRing: config.keyRing,
    clock,
    onSecret: log.hide,
    secretSettings: secretSettings(adapters),
    expiringNotes: [
      { prefix: AVATAR_NOTES },
      ...adapters.flatMap(({ kind, notes }) => (notes?.expires ?? []).map((prefix) => ({ kind, prefix }))),
    ],
    allowRemoteFolder: config.allowRemoteFolder,
    bounds: config.bounds,
  });
  const relay = createRelay(config, { log, clock, adapters, call, store });
  const confirmation = confirming({ config, call, store, clock, log, activated: relay.mended });
  const ledger = watchLedger({ store, clock, log });
  const keeping = housekeeping({ config, store, clock, log });
  const disk = watchDisk({ store, clock, log });
  await disk.start();
  const files = watchDatabase(store, { clock, log, lost: parts.lost ?? (() => {}) });
  files.start();
  const life = background(config, { log, clock, store }, relay, { confirmation, ledger, keeping });
  const site = createSite({
    ...siteParts(config, { log, clock, adapters, call, store }, relay, confirmation),
    health: { ping: store.ping, draining: life.draining },
  });
  const { memory } = parts;
  const metrics =
    config.metrics && metricsSite({ ...config.metrics, now: clock.now, ledger, tries: relay.tries, memory });
  return {
    fetch: site.fetch,
    metrics: metrics?.fetch,
    start: life.start,
    drain: life.drain,
    async close() {
      disk.stop();
      files.stop();
      await outgoing?.close();
      store.close();
    },
  };
}

interface Watches {
  confirmation: Confirmation;
  ledger: LedgerWatch;
  keeping: Housekeeping;
}

/** What runs beside the doors, from the start until the server drains. */
function background(
  config: Config,
  { log, clock, store }: Pick<Base, "log" | "clock" | "store">,
  relay: ReturnType<typeof createRelay>,
  { confirmation, ledger, keeping }: Watches,
) {
  let draining = false;
  let starting: Promise<void> | undefined;
  const begin = async () => {
    await recallCalls({ store, clock, permits: relay.permits });
    await relay.worker.start();
    await relay.feeds.start();
    relay.watch.start();
    ledger.start();
    keeping.start();
    for (const account of await store.accounts.list()) {
      if (!works(account)) continue;
      relay.announce(account);
      if (account.trouble !== undefined) relay.resting.resume(account.id);
    }
    confirmation.start();
  };
  const drain = async () => {
    draining = true;
    await starting?.catch(() => {});
    relay.watch.stop();
    relay.resting.stop();
    confirmation.stop();
    ledger.stop();
    await relay.feeds.stop();
    await relay.worker.stop(config.limits.stopMs);
    await keeping.stop();
  };
  return {
    draining: () => draining,
    drain,
    start() {
      starting = begin();
      return starting.catch(async (error) => {
        log.error("server.not-started", { error: String(error) });
        await drain();
        throw error;
      });
    },
  };
}

type Base = Required<Omit<Parts, "memory" | "lost">> & { store: Store };

/** The heart: sessions, gateways, doors and the worker between them. */
function createRelay(config: Config, { log, clock, adapters, call, store }: Base) {
  const renewToken = renewing({ config, call, store, log });
  const permits = createPermits(clock, (account, calls) => store.accounts.setUnanswered(account as AccountId, calls));
  const journals = createJournals(store);
  const limits = { paces: createPaces(clock), breakers: createBreakers(clock, log), strays: createStrays(clock) };
  const isDone = emptyAnswers();
  const reach = (outside: Outside) => {
    const gatewayOf = createGateways({ ...outside, clock, isDone });
    const sessions = createSessions({
      ...{ adapters, store, journals, call: outside.call, clock, gatewayOf },
      publicUrl: config.publicUrl,
      markup: config.markup,
      serverOptions: (kind) => ({ updates: config.updates, ...config.messengers[kind] }),
    });
    return { gatewayOf, sessions, perform: createPerform({ store, sessions, gatewayOf, ...limits, clock }) };
  };
  const outside = { call, permits, renewToken };
  const { gatewayOf, sessions, perform } = reach(outside);
  const performBy = (excuse?: Excuse) => (excuse ? reach(excused(outside, excuse)).perform : perform);
  const meter = createMeter((job, signal, excuse) => performBy(excuse)(job, signal), verdictOf);
  const resting = createResting({ store, gatewayOf, clock, log, wake: (id) => worker.wake(id) });
  const worker: Worker = createWorker({
    store,
    perform: meter.perform,
    adapter: sessions.adapter,
    rest: resting.rest,
    clock,
    log,
    owner: randomUUID(),
    limits: config.limits,
    random: Math.random,
  });
  const wake = (account: Account) => worker.wake(account.id);
  const acceptInbound = createAcceptInbound({ store, journals, wake: worker.wake, log });
  const feeds = createFeeds({ store, sessions, acceptInbound, clock, log, random: Math.random });
  const changed = (id: ChannelId) => {
    feeds.follow(id).catch((error) => log.warn("feed.not-started", { channel: id, error: String(error) }));
  };
  const channels = channelVerbs({ store, sessions, gatewayOf, wake, changed, log });
  const watch = watching({ config, call, store, sessions, clock, log });
  /** In the background: the gateway may be slow, and what fails now is told again at the next start or activation. */
  const announce = (account: Account) => {
    channels
      .announceAll(account)
      .catch((error) => log.warn("channels.not-announced", { account: account.id, error: String(error) }));
  };
  const mended = (account: Account) => {
    if (account.trouble !== undefined) resting.resume(account.id);
    wake(account);
    announce(account);
  };
  const own = { worker, resting, feeds, watch, permits };
  return { ...own, sessions, acceptInbound, wake, channels, announce, mended, tries: meter.read };
}

function siteParts(
  config: Config,
  base: Base,
  { sessions, acceptInbound, worker, wake, channels, mended }: ReturnType<typeof createRelay>,
  confirmation: Confirmation,
) {
  const { log, clock, adapters, call, store } = base;
  const { limits, publicUrl } = config;
  const keepRaw = config.rawWebhookDays > 0;
  const visits = visiting({ store, adapters, config, wake });
  const connected = (account: Account) => {
    mended(account);
    // Connecting switches the module on; whether the CRM has frozen it only the CRM can say.
    confirmation
      .ask(account.id, { active: true, frozen: false })
      .catch((error) => log.warn("account.not-asked", { account: account.id, error: String(error) }));
  };
  const connect = connecting({ config, call, store, clock, log, connected });
  const account = {
    publicUrl,
    moduleName: config.module.name,
    formBytes: limits.formBytes,
    now: clock.monotonic,
    connect,
    visits,
    channels,
  };
  const acceptOutbound = createAcceptOutbound({
    store,
    sessions,
    patienceMs: limits.outboundPatienceMs,
    keepRaw,
    wake: worker.wake,
    log,
  });
  return {
    account,
    gateway: { accountByWebhook: store.accounts.byWebhookSecret, acceptOutbound, limit: limits.webhookBytes, log },
    messenger: { sessions, acceptInbound, keepRaw, log },
    activity: activity({ store, confirmation }),
    adapters,
    clientAddress: addresses(config, log),
    log,
  };
}

function addresses({ publicUrl, trustedProxies }: Config, log: Log): ClientAddress {
  const unsaid = missingProxies(publicUrl, trustedProxies);
  if (unsaid) log.warn("proxies.not-set", { setting: "TRUSTED_PROXIES", ...unsaid });
  return clientAddresses(trustedProxies);
}
