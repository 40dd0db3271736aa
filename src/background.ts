import { setMaxListeners } from "node:events";
import type { Clock } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import { type Account, works } from "./domain/account.ts";
import { untilRecorded } from "./domain/delivery.ts";
import type { AccountId } from "./domain/ids.ts";
import type { Loop } from "./domain/loop.ts";
import type { Live } from "./http/account/live.ts";
import type { Log } from "./log.ts";
import type { Housekeeping } from "./module/account/housekeeping.ts";
import type { Confirmation } from "./module/connecting/confirmation.ts";
import type { Watch } from "./module/health/watch.ts";
import type { TemplateSync } from "./module/templates/templates.ts";
import type { ReadParked } from "./relay/accept/inbound.ts";
import type { Resting } from "./relay/limits/limits.ts";
import type { Holdings } from "./relay/scheduler/holdings.ts";
import type { Feeds } from "./relay/sessions/feeds.ts";
import type { Worker } from "./relay/worker.ts";
import type { Store } from "./store/store.ts";
import type { LedgerWatch } from "./watch/ledger.ts";

interface Parts {
  /** The store limited to accounts that this process works for. */
  store: Store;
  clock: Clock;
  log: Log;
  holdings: Pick<Holdings, "leaseOf" | "onTaken" | "stop">;
  worker: Worker;
  feeds: Feeds;
  watch: Watch;
  comparing: Loop;
  importing: Loop;
  templates: { sync: Pick<TemplateSync, "start" | "stop"> };
  live: Pick<Live, "close">;
  resting: Resting;
  announce(account: Account): void;
  /** Starts or updates what follows a channel, such as its feed and parked parts. */
  changed(id: ChannelId): void;
  parked: ReadParked;
  confirmation: Confirmation;
  ledger: LedgerWatch;
  /** Absent: no vendor events are sent. */
  events?: Loop;
  cleanup: Housekeeping;
  /** How long running calls may take to end, ms. */
  stopMs: number;
}

/** Background work, from start until drain. */
export function createBackground(parts: Parts) {
  const { store, clock, log, worker, feeds, watch, templates, resting, confirmation, ledger, cleanup } = parts;
  const draining = new AbortController();
  // Each account that waits for the store adds a listener; Node warns at the eleventh.
  setMaxListeners(0, draining.signal);
  let starting: Promise<void> | undefined;
  const resume = (account: Account) => {
    if (!works(account)) return;
    parts.announce(account);
    if (account.trouble !== undefined) resting.resume(account.id);
  };
  /** Starts background work for an account that this process has just taken. */
  const begin = async (id: AccountId) => {
    await starting;
    const account = parts.holdings.leaseOf(id) && (await store.accounts.byId(id));
    if (!account || draining.signal.aborted) return;
    for (const channel of await store.channels.list(id)) parts.changed(channel.id);
    resume(account);
    confirmation.taken(id);
  };
  /** Again while the store fails: nothing else would start the account's feeds. */
  const beginSurely = (id: AccountId): void => {
    const failed = (error: unknown) => log.warn("account.not-begun", { account: id, error: errorText(error) });
    untilRecorded(clock, draining.signal, () => begin(id), failed).catch(() => undefined);
  };
  const beginAll = async () => {
    await worker.start();
    parts.holdings.onTaken((accounts) => {
      for (const id of accounts) beginSurely(id);
    });
    await feeds.start();
    watch.start();
    void parts.comparing.start();
    void parts.importing.start();
    void parts.parked.start();
    templates.sync.start();
    ledger.start();
    cleanup.start();
    void parts.events?.start();
    for (const account of await store.accounts.list()) resume(account);
    confirmation.start();
  };
  const drain = async () => {
    draining.abort();
    parts.live.close();
    await starting?.catch(() => {});
    const cared = Promise.all([watch.stop(), parts.comparing.stop(), parts.importing.stop()]);
    resting.stop();
    confirmation.stop();
    ledger.stop();
    await feeds.stop();
    await cared;
    await worker.stop(parts.stopMs);
    await parts.events?.stop();
    await Promise.all([parts.holdings.stop(), parts.parked.stop(), templates.sync.stop(), cleanup.stop()]);
  };
  return {
    draining: () => draining.signal.aborted,
    drain,
    start() {
      starting = beginAll();
      return starting.catch(async (error) => {
        log.error("server.not-started", { error: String(error) });
        // Draining may fail for the same reason; ignore that.
        await drain().catch(() => undefined);
        throw error;
      });
    },
  };
}
