import type { Call } from "gangway-messenger/call";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import { createExplain } from "gangway-messenger/explanations";
import type { ChannelId } from "gangway-messenger/ids";
import type { ChannelAdapter } from "gangway-messenger/port";
import { createAccountParts } from "./account-parts.ts";
import { createBackground } from "./background.ts";
import { createOutgoing, withoutEchoes } from "./calls/outgoing.ts";
import { type Config, serverOptionsOf } from "./config.ts";
import { consoleOf } from "./console-parts.ts";
import { type Account, type LedgerRow, works } from "./domain/account.ts";
import { COMMON_EXPLANATIONS } from "./domain/explanations.ts";
import type { AccountId } from "./domain/ids.ts";
import { createPermits, PER_SECOND, type SaveUnanswered } from "./gateway/limiter.ts";
import { emptyAnswers } from "./gateway/sending.ts";
import { createLive } from "./http/account/live.ts";
import type { consoleSite } from "./http/console/site.ts";
import { metricsSite } from "./http/metrics/site.ts";
import { type Closed, closedSite } from "./http/serving/health.ts";
import { clientAddress, createTraffic } from "./http/serving/request.ts";
import { createSite } from "./http/site.ts";
import type { Log } from "./log.ts";
import { adapters as allAdapters, erasableNotes } from "./messengers.ts";
import { createErasureRequests, type ErasureRequests } from "./module/account/erasure-requests.ts";
import { createHousekeeping } from "./module/account/housekeeping.ts";
import { createApps } from "./module/channels/apps.ts";
import { createChannelActions } from "./module/channels/channels.ts";
import { secretSettings } from "./module/channels/secret-settings.ts";
import { createSiteVisits } from "./module/channels/site-visits.ts";
import { createActivity } from "./module/connecting/activity.ts";
import { type Confirmation, createConfirmation } from "./module/connecting/confirmation.ts";
import { createRegisterAgain, createTokenRenewal } from "./module/connecting/connect.ts";
import { offersOf } from "./module/connecting/offers.ts";
import { createFollow } from "./module/connecting/whereabouts.ts";
import { createComparing } from "./module/health/comparing.ts";
import { createImporting } from "./module/health/importing.ts";
import { createLists } from "./module/health/lists.ts";
import { createStandings } from "./module/health/standings.ts";
import { createWatch } from "./module/health/watch.ts";
import { createTemplates } from "./module/templates/parts.ts";
import { createEventSender, type EventParts } from "./module/vendor/events.ts";
import { createAcceptInbound, createForwarding } from "./relay/accept/inbound.ts";
import { createAcceptOutbound } from "./relay/accept/outbound.ts";
import { TEMPLATE_NOTES } from "./relay/accept/templates.ts";
import { createPerform, type Perform } from "./relay/deliver/attempt.ts";
import { PIECE_NOTES } from "./relay/deliver/pieces.ts";
import { waitingOutside } from "./relay/deliver/quarantine.ts";
import { createCloseChannel } from "./relay/deliver/reports.ts";
import { AVATAR_NOTES, LATE_FILE_NOTES } from "./relay/deliver/uploads.ts";
import {
  createBreakers,
  createPaces,
  createResting,
  SHARED_PERMITS,
  withSharedPermits,
} from "./relay/limits/limits.ts";
import { createFeeds, createStreams, followChanges, followErasures } from "./relay/sessions/feeds.ts";
import {
  createForeignAnswers,
  createGateways,
  createJournals,
  createSessions,
  type Outside,
  type Sessions,
} from "./relay/sessions/sessions.ts";
import { createWorker, type Worker } from "./relay/worker.ts";
import { createShare } from "./share.ts";
import { isOutOfSpace } from "./store/disk/folder.ts";
import { openStore } from "./store/open.ts";
import { isAway } from "./store/postgres/database/faults.ts";
import { type Store, StoreError } from "./store/store.ts";
import { watchLedger } from "./watch/ledger.ts";
import { watchStorage } from "./watch/storage.ts";

export interface App {
  fetch: ReturnType<typeof createSite>["fetch"];
  /** Each served on its own port; absent unless configured. */
  metrics?: ReturnType<typeof metricsSite>["fetch"];
  console?: ReturnType<typeof consoleSite>["fetch"];
  /** Recovers after a crash and starts relaying. On failure it stops what it started, then rejects. */
  start(): Promise<void>;
  /** Reports not ready and finishes running work; the doors still store incoming events. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

interface Parts {
  log: Log;
  /** For tests: outgoing calls without a socket. */
  call?: Call;
  clock?: Clock;
  adapters?: ChannelAdapter[];
  /** Server version, for the metrics. */
  version?: string;
  /** Process memory in bytes, for the metrics. */
  memory?(): { rss: number; heapUsed: number };
  /**
   * Called when the database file is deleted, replaced or unreachable, or when the database becomes too new for this
   * program. Nothing can be stored any more, and nothing must be closed.
   */
  lost?(why: string): void;
  /** Use threads to check the database for damage and to rewrite it; their programs exist only in a build. */
  threads?: boolean;
}

/** The composition root. Throws StoreError. */
export async function createApp(config: Config, parts: Parts): Promise<App> {
  const { log, clock = systemClock, adapters = allAdapters, memory, threads = false, lost = () => {} } = parts;
  const outgoing = parts.call
    ? undefined
    : createOutgoing({
        allowLoopback: config.sandbox,
        proxies: config.proxies,
        authorities: config.authorities,
        ...config.limits,
      });
  const call = withoutEchoes(parts.call ?? (outgoing?.call as Call), log.mask);
  const heard: { work?(id: AccountId): void } = {};
  const store = await openStoreOf(config, { ...parts, clock, adapters }, (id) => heard.work?.(id));
  const relay = createRelay(config, { log, clock, adapters, call, store }, lost);
  heard.work = relay.worker.wake;
  const confirmation = createConfirmation({
    ...{ config, call, store: relay.ownStore, clock, log },
    activated: relay.resumeAccount,
    working: createRegisterAgain({ config, call, store: relay.ownStore, log, offers: offersOf(adapters) }),
  });
  const erasureRequests = createErasureRequests({ store, log });
  const { ownStore, sessions, worker } = relay;
  const listing = { store: ownStore, lists: createLists(sessions, clock), wake: worker.wake, clock, log };
  const comparing = createComparing({ config, ...listing });
  const importing = createImporting(listing);
  const ledger = watchLedger({ store, clock, log, found: holeReport(relay, store) });
  const events = await eventSender(config, { call, store, clock, log });
  const cleanup = createHousekeeping({ config, store, clock, log });
  const storage = watchStorage(store.disk, { clock, log, threads, lost });
  await storage.start();
  const lifecycle = createBackground({
    ...{ ...relay, store: relay.ownStore, clock, log, confirmation, comparing, importing, ledger, cleanup, events },
    stopMs: config.limits.stopMs,
  });
  const doors = siteParts(config, { log, clock, adapters, call, store }, relay, { confirmation, erasureRequests });
  const traffic = createTraffic({ clock, log: config.accessLog ? log : undefined });
  const site = createSite({ ...doors, traffic, health: { ping: store.ping, draining: lifecycle.draining } });
  const metrics =
    config.metrics &&
    metricsSite({
      ...{ ...config.metrics, ledger, traffic, memory, disk: storage.space, log, build: buildOf(config, parts) },
      ...{ ...figuresOf(store), meter: relay.worker.attempts },
      ...{ compared: comparing.figures, apps: doors.apps.figures },
    });
  return {
    fetch: site.fetch,
    metrics: metrics?.fetch,
    console: consoleOf(config, {
      ...{ store, adapters, clock, log, journals: relay.journals, checked: ledger.latest },
      ...{ channels: relay.channels, sessions, resumed: relay.resumeAccount, wake: worker.wake },
    })?.fetch,
    start: () => lifecycle.start().then(storage.findDamage),
    drain: lifecycle.drain,
    async close() {
      await storage.stop();
      await outgoing?.close();
      await store.close();
    },
  };
}

/** Store figures for the metrics. */
const figuresOf = ({ shared, parked, vendorEvents, audit, isAway }: Store) => ({
  ...{ parked: parked.figures, events: vendorEvents.figures, isAway },
  // PostgreSQL is backed up with its own tools.
  lastBackup: shared ? undefined : audit.lastBackup,
});

/** Undefined when no events URL is configured; the store then records no vendor events either. */
async function eventSender({ events: to }: Config, parts: Omit<EventParts, "to" | "random">) {
  await parts.store.vendorEvents.listen(to !== undefined);
  return to && createEventSender({ ...parts, to, random: Math.random });
}

/** Reports a ledger hole to the vendor, but only from the process that holds the account. */
const holeReport =
  ({ holdings }: Pick<ReturnType<typeof createRelay>, "holdings">, { vendorEvents }: Pick<Store, "vendorEvents">) =>
  async ({ accountId, channelId, hole, acks }: LedgerRow): Promise<void> => {
    if (!holdings.leaseOf(accountId)) return;
    const data = { channel: { id: channelId }, hole, acksHole: acks.hole };
    await vendorEvents.report("ledger.hole", accountId, data);
  };

const buildOf = ({ databaseUrl }: Config, { version = "" }: Pick<Parts, "version">) => ({
  version,
  node: process.versions.node,
  engine: databaseUrl ? "PostgreSQL" : "SQLite",
});

/** Throws StoreError. */
async function openStoreOf(
  config: Config,
  { log, clock, adapters, threads }: Required<Pick<Parts, "log" | "clock" | "adapters">> & Pick<Parts, "threads">,
  onWork: (id: AccountId) => void,
): Promise<Store> {
  const { bucket } = config;
  const toBucket = bucket && createOutgoing({ origin: new URL(bucket.url).origin });
  const store = await openStore({
    folder: config.dataFolder,
    databaseUrl: config.databaseUrl,
    bucket: toBucket && { ...bucket, call: toBucket.call },
    keyRing: config.keyRing,
    clock,
    onSecret: log.hide,
    secretSettings: secretSettings(adapters),
    erasableNotes: [
      { prefix: AVATAR_NOTES },
      { prefix: TEMPLATE_NOTES },
      { prefix: PIECE_NOTES },
      { prefix: LATE_FILE_NOTES },
      ...adapters.flatMap(erasableNotes),
    ],
    allowRemoteFolder: config.allowRemoteFolder,
    ...{ bounds: config.bounds, threads },
    onWork,
    onLost(error) {
      if (error) log.warn("database.connection-lost", { error: errorText(error) });
      else log.info("database.connected");
    },
    onFull(error) {
      const todo = "free space on PostgreSQL's disk; the server then continues by itself";
      if (error) log.error("database.full", { error: errorText(error), todo });
      else log.info("database.has-space");
    },
    onBucketFault: (error) => log.warn("files.bucket-failed", { error: errorText(error) }),
  });
  if (!toBucket) return store;
  return { ...store, close: () => store.close().finally(toBucket.close) };
}

type Base = Required<Omit<Parts, "version" | "memory" | "lost" | "threads">> & { store: Store };

/** Wires up sessions, gateways, doors and the worker that connects them. */
function createRelay(config: Config, { log, clock, adapters, call, store }: Base, lost: (why: string) => void) {
  const explain = createExplain([...adapters.flatMap(({ explanations = [] }) => explanations), ...COMMON_EXPLANATIONS]);
  const renewToken = createTokenRenewal({ config, call, store, log });
  const saveUnanswered: SaveUnanswered = (account, startedAt) => saveCalls(account as AccountId, startedAt);
  const permits = createPermits(clock, saveUnanswered, PER_SECOND - (store.shared ? SHARED_PERMITS : 0));
  const [journals, streamsOf] = [createJournals(store), createStreams(config.limits.streams)];
  const live = createLive({ version: store.accounts.version, streamsOf, clock, log });
  const limits = {
    paces: createPaces(clock),
    breakers: createBreakers(clock, log),
    foreignAnswers: createForeignAnswers(clock),
  };
  const share = { store, clock, log, permits, ...limits, lost, work: () => ({ worker, feeds }) };
  const { holdings, ownStore, saveCalls } = createShare(share);
  const isDone = emptyAnswers();
  const execution = (outside: Outside, main?: Sessions) => {
    const gatewayOf = createGateways({ ...outside, clock, isDone });
    const own = { call: outside.call, gatewayOf };
    const sessions =
      main?.standIns(own) ??
      createSessions({
        ...{ adapters, store, journals, clock, streamsOf, ...own },
        publicUrl: config.publicUrl,
        markup: config.markup,
        serverOptions: serverOptionsOf(config),
      });
    return { gatewayOf, sessions, perform: createPerform({ store, sessions, gatewayOf, ...limits, clock, explain }) };
  };
  const allPermits = store.shared ? withSharedPermits({ permits, ...store.shared, holdings, clock }) : permits;
  const outside = { call: holdings.guarded(call), permits: allPermits, renewToken };
  const { gatewayOf, sessions, perform } = execution(outside);
  const performWith: Perform = (job, signal, waitOutside) =>
    (waitOutside ? execution(waitingOutside(outside, waitOutside), sessions).perform : perform)(job, signal);
  const resting = createResting({ store, gatewayOf, clock, log, wake: (id) => worker.wake(id) });
  const worker: Worker = createWorker({
    store,
    perform: performWith,
    adapter: sessions.adapter,
    rest: resting.rest,
    clock,
    log,
    holdings,
    limits: config.limits,
    random: Math.random,
  });
  const wake = (account: Account) => worker.wake(account.id);
  const templates = createTemplates({ store: ownStore, sessions, gatewayOf, clock, log });
  const { wake: wakeOf, withSlots } = worker;
  const acceptInbound = createAcceptInbound({
    ...{ store, journals, wake: wakeOf, withSlots, log },
    ...{ templatesChanged: templates.changed, erase: createErasureRequests({ store, log }).ask },
  });
  const isOurs = (account: AccountId) => holdings.leaseOf(account) !== undefined;
  const feeds = createFeeds({ store, sessions, acceptInbound, clock, log, random: Math.random, isOurs });
  const doorListeners = new Map<ChannelId, (status: number) => void>();
  const doorAnswered = (id: ChannelId, status: number) => doorListeners.get(id)?.(status);
  const keepRaw = config.rawWebhookDays > 0;
  const { parked, forward } = createForwarding({ store, sessions, acceptInbound, keepRaw, doorAnswered, clock, log });
  const changed = (id: ChannelId) => {
    feeds.changed(id);
    parked.changed(id);
    templates.sync.ask(id);
  };
  const close = createCloseChannel({ store, gatewayOf, wake, clock });
  const channels = createChannelActions({ config, call, store, sessions, gatewayOf, wake, changed, close, clock, log });
  const standings = createStandings({ store, sessions, channels, clock, log });
  const watch = createWatch({ config, call, store: ownStore, sessions, channels, standings, explain, clock, log });
  /** Runs in the background: the gateway may be slow. The next start or activation repeats a failed announcement. */
  const announce = (account: Account) => {
    channels
      .announceAll(account)
      .catch((error) => log.warn("channels.not-announced", { account: account.id, error: String(error) }));
  };
  const resumeAccount = (account: Account) => {
    // Resuming or switching on the account calls this function again.
    if (!works(account)) return;
    // The holder sees the change itself; an unowned account is taken by `wake`.
    if (store.leases.shared && !isOurs(account.id)) return wake(account);
    if (account.trouble !== undefined) resting.resume(account.id);
    wake(account);
    announce(account);
  };
  followErasures({ store, worker, sessions, feeds });
  followChanges({ store, sessions, holdings, clock, changed, resumed: resumeAccount, log });
  const own = { worker, resting, feeds, watch, explain, live, parked, forward, changed, standings };
  const ways = { sessions, journals, acceptInbound, wake, channels, announce, resumeAccount };
  return { ...own, ...ways, doorListeners, doorAnswered, holdings, ownStore, templates };
}

function siteParts(
  config: Config,
  base: Base,
  relay: ReturnType<typeof createRelay>,
  { confirmation, erasureRequests }: { confirmation: Confirmation; erasureRequests: ErasureRequests },
) {
  const { log, clock, adapters, call, store } = base;
  const { sessions, acceptInbound, worker, explain, forward, doorAnswered, templates } = relay;
  const { limits, publicUrl } = config;
  const keepRaw = config.rawWebhookDays > 0;
  const serverOptions = serverOptionsOf(config);
  const pages = createAccountParts({ config, ...base, relay, confirmation, serverOptions });
  const accepting = { store, sessions, keepRaw, explain, log, wake: worker.wake, withSlots: worker.withSlots };
  const acceptOutbound = createAcceptOutbound({
    ...{ ...accepting, patienceMs: limits.outboundPatienceMs, vendor: config.module.name },
    actOnTemplate: templates.act,
  });
  return {
    ...pages,
    brand: config.module.brand,
    gateway: { accountByWebhook: store.accounts.byWebhookSecret, acceptOutbound, limit: limits.webhookBytes, log },
    messenger: { sessions, acceptInbound, forward, keepRaw, doorAnswered, clock, log },
    apps: createApps({
      ...{ adapters, serverOptions, store, forward, changed: relay.changed, publicUrl, clock, log },
      erase: erasureRequests.ask,
    }),
    erasureRequests,
    isAway: store.isAway,
    activity: createActivity({ store, confirmation, follow: createFollow({ config, call, store, clock, log }) }),
    syncTemplates: templates.sync.manual,
    siteVisits: createSiteVisits({ store, sessions, log }),
    adapters,
    clientAddress: clientAddress(config, log),
    log,
  };
}

/** Interval between start attempts while the program waits, ms. */
const RETRY_MS = 1_000;

/** The app, or a closed site while the database cannot be opened. */
export interface Program extends Required<App> {
  /** Opens the app, or serves the closed site if waiting may help. Throws StoreError otherwise. */
  open(): Promise<void>;
}

interface Wait extends Closed {
  event: string;
  /** Extra fields of the log line. */
  fields: { todo: string };
}

/** Maps a start error to what the program waits for; undefined when waiting would not help. */
function waitOf(error: unknown, { dataFolder, databaseUrl }: Config, isOpen: boolean): Wait | undefined {
  const goesOn = "the server then continues by itself";
  if (error instanceof StoreError && error.kind === "incomplete") {
    const todo = `gangway doctor says what can be done; ${goesOn}`;
    return { fault: error.message, bound: "loss", event: "database.incomplete", fields: { todo } };
  }
  // On the first open the address may simply be wrong, so do not wait.
  if (isOpen && databaseUrl !== undefined && isAway(error)) {
    const todo = `look at PostgreSQL; ${goesOn}`;
    return { fault: "the database is away", bound: "process", event: "database.away", fields: { todo } };
  }
  if (!isOutOfSpace(error, dataFolder)) return undefined;
  return {
    fault: "the disk is full",
    bound: "disk",
    event: "disk.full",
    fields: { todo: `free disk space; ${goesOn}` },
  };
}

/**
 * Repeats the start while the disk is full, accepted messages are missing, or PostgreSQL has gone away since the first
 * open; requests get 503 until it succeeds.
 */
export function createProgram(config: Config, parts: Parts): Program {
  let waiting: Wait | undefined;
  const closed = closedSite(parts.log, () => waiting ?? { fault: "the server starts", bound: "process" });
  let app: App | undefined;
  let stopping = false;
  const wait = async (error: unknown, isOpen: boolean) => {
    const next = waitOf(error, config, isOpen);
    if (!next) throw error;
    if (waiting?.event !== next.event)
      parts.log.error(next.event, { folder: config.dataFolder, fault: next.fault, ...next.fields });
    waiting = next;
    const failed = app;
    app = undefined;
    // Closing may fail for the same reason; ignore that.
    await failed?.close().catch(() => undefined);
  };
  const make = async () => {
    app = await createApp(config, parts);
  };
  const start = async () => {
    while (!stopping) {
      try {
        if (!app) await make();
        return stopping ? undefined : await app?.start();
      } catch (error) {
        await wait(error, true);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };
  return {
    fetch: (...request) => (app ?? closed).fetch(...request),
    metrics: (...request) => (app?.metrics ?? closed.fetch)(...request),
    console: (...request) => (app?.console ?? closed.fetch)(...request),
    open: () => make().catch((error) => wait(error, false)),
    start,
    async drain() {
      stopping = true;
      await app?.drain();
    },
    async close() {
      await app?.close();
    },
  };
}
