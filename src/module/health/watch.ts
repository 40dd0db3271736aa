import type { Call } from "gangway-messenger/call";
import { type Clock, deadline } from "gangway-messenger/clock";
import { eachOf } from "gangway-messenger/concurrency";
import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { Explain } from "gangway-messenger/explanations";
import type { ChannelId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import type { Config } from "../../config.ts";
import { createCrm, type Notification } from "../../crm/client.ts";
import { CrmError, isAway } from "../../crm/verdict.ts";
import { type Account, accountPage, agentsLanguage, works } from "../../domain/account.ts";
import { type Channel, notInstalled, sameTrouble, shownState } from "../../domain/channel.ts";
import { createLoop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { isArriving } from "../channels/announcing.ts";
import type { ChannelActions } from "../channels/channels.ts";
import { createHourly } from "./hourly.ts";
import { unusualSilence } from "./silence.ts";
import type { Standings } from "./standings.ts";
import { notices } from "./words.ts";

/** Inspects channels for trouble, and notifies the CRM's users once of each trouble and unusual silence. */
export interface Watch {
  start(): void;
  /** Resolves when no credential renewal is running any more. */
  stop(): Promise<void>;
}

export interface WatchParts {
  config: Pick<Config, "module" | "publicUrl">;
  call: Call;
  store: Pick<Store, "accounts" | "channels" | "notes" | "traffic">;
  sessions: Sessions;
  channels: Pick<ChannelActions, "announce" | "renew">;
  standings: Pick<Standings, "refresh">;
  explain: Explain;
  clock: Clock;
  log: Log;
}

/** Intervals of inspection and notification, ms; together below a minute. */
const INSPECT_MS = 30_000;
const NOTIFY_MS = 10_000;
/** Interval of checks for silence, ms; silence is measured in hours. */
const LISTEN_MS = 10 * 60_000;
/** Note with the start, ms, of the last silence that users were notified of. */
const QUIET_NOTE = "quiet-told";
/** Deadline of one inspection, ms. */
const ANSWER_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Accounts inspected concurrently. */
const AT_ONCE = 8;
/** Notifications per round. */
const MAX_NOTIFIED = 100;

export function createWatch(parts: WatchParts): Watch {
  const { config, call, store, sessions, explain, clock, log } = parts;
  const inspectChannel = async (channel: Channel, stop: AbortSignal) => {
    const { signal, end } = deadline(clock, ANSWER_MS, stop);
    try {
      const trouble = await troubleOf(channel, signal);
      if (!sameTrouble(trouble, channel.trouble)) await store.channels.setTrouble(channel.id, trouble, channel.epoch);
    } catch (error) {
      const reason = errorText(error);
      if (error instanceof DeliveryError && error.verdict.type === "reconnect")
        return store.channels.setState(channel.id, "stopped", reason, { epoch: channel.epoch });
      log.warn("watch.no-answer", { channel: channel.id, error: reason });
    } finally {
      end();
    }
  };
  /** The channel's current trouble, as far as it can be checked. */
  const troubleOf = async (channel: Channel, signal: AbortSignal) => {
    const absent = notInstalled(channel.kind);
    if (!sessions.adapter(channel.kind)) return absent;
    const { identify, inspect, feed } = sessions.peek(channel);
    // Clears a trouble that a connection test found: `identify` throws while it persists.
    if (channel.trouble !== undefined && channel.trouble !== absent && !feed) await identify?.(signal);
    if (inspect) return inspect(signal);
    return feed && channel.trouble !== absent ? channel.trouble : undefined;
  };
  /** A failing channel does not affect the others. */
  const inspectAccount = async (account: Account, stop: AbortSignal) => {
    const failed = (channel?: ChannelId) => (error: unknown) => {
      log.warn("watch.failed", { account: account.id, channel, error: String(error) });
      return [];
    };
    const inspectById = async (id: ChannelId) => {
      // Reload: earlier inspections may have taken minutes.
      const channel = await store.channels.byId(account.id, id);
      if (channel && (await isArriving(store.notes, channel))) return;
      if (channel && isConnected(channel)) await inspectChannel(channel, stop);
      // Finish opening it: the process ended, or its disk was full, while somebody added the channel.
      else if (channel && shownState(channel) === "active") await parts.channels.announce(account, id);
    };
    for (const { id } of await store.channels.list(account.id).catch(failed())) await inspectById(id).catch(failed(id));
  };
  const inspectAll = async (stop: AbortSignal) => {
    const accounts = (await store.accounts.list()).filter(works);
    await eachOf(accounts, AT_ONCE, (account) => inspectAccount(account, stop), stop);
  };
  /** False if the CRM does not answer: retry later. After a refusal only the account page shows the trouble. */
  const tell = async ({ id, apiKey, crmUrl }: Account, channel: Channel, { type, message }: Notification) => {
    try {
      await createCrm({ call, crmUrl, apiKey }).notify({ type, message });
      log.info("channel.told", { account: id, channel: channel.id, trouble: channel.trouble });
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      log.warn("channel.not-told", { account: id, channel: channel.id, reason: error.reason });
      return !isAway(error);
    }
    return true;
  };
  const notify = async (channel: Channel) => {
    const account = await store.accounts.byId(channel.accountId);
    if (!account || !works(account)) return;
    const words = notification(channel, { config, explain, language: agentsLanguage(account, "en") });
    if (await tell(account, channel, words)) await store.channels.setReported(channel.id, channel.trouble);
  };
  /** Unreported channels that the last round found. */
  let found = new Map<ChannelId, Channel>();
  /** Whether the previous round and a check right now find the same trouble: a single failure soon passes. */
  const lasts = async (channel: Channel, before: typeof found, stop: AbortSignal) => {
    const known = before.get(channel.id);
    if (!known || !sameTrouble(known.trouble, channel.trouble)) return false;
    if (!isConnected(channel)) return true;
    await inspectChannel(channel, stop);
    const now = await store.channels.byId(channel.accountId, channel.id);
    return now !== undefined && sameTrouble(now.trouble, channel.trouble);
  };
  /** The notified trouble is stored, so that a restart neither forgets nor repeats a notification. */
  const notifyAll = async (stop: AbortSignal) => {
    const [all, before] = [await store.channels.unreported(MAX_NOTIFIED), found];
    found = new Map(all.map((channel) => [channel.id, channel]));
    const tellIfLasting = async (channel: Channel) => {
      if (await lasts(channel, before, stop)) await notify(channel);
    };
    const told = (channel: Channel) =>
      tellIfLasting(channel).catch((error) =>
        log.warn("channel.not-told", { account: channel.accountId, channel: channel.id, reason: String(error) }),
      );
    await eachOf(all, AT_ONCE, told, stop);
  };
  const listen = async (account: Account) => {
    const flows = new Map((await store.traffic.of(account.id)).map((flow) => [flow.channelId, flow]));
    for (const channel of await store.channels.list(account.id)) {
      const flow = flows.get(channel.id);
      const since = flow && unusualSilence(flow, clock.now());
      if (since === undefined || shownState(channel) !== "active" || channel.trouble !== undefined) continue;
      if ((await store.notes.get(channel.id, QUIET_NOTE)) === String(since)) continue;
      const words = quietNotice(channel, { config, language: agentsLanguage(account, "en"), ms: clock.now() - since });
      if (await tell(account, channel, words))
        await store.notes.set(channel.id, [{ key: QUIET_NOTE, value: String(since) }]);
    }
  };
  let startedAt = clock.now();
  const listenAll = async () => {
    // Messages that came while the server was down must arrive first.
    if (clock.now() - startedAt < LISTEN_MS) return;
    for (const account of (await store.accounts.list()).filter(works))
      await listen(account).catch((error) => log.warn("watch.failed", { account: account.id, error: String(error) }));
  };
  const failed = (error: unknown) => log.warn("watch.failed", { error: String(error) });
  const loops = [
    createLoop({ clock, everyMs: INSPECT_MS, round: inspectAll, failed }),
    createLoop({ clock, everyMs: NOTIFY_MS, round: notifyAll, failed }),
    createLoop({ clock, everyMs: LISTEN_MS, round: listenAll, failed }),
  ];
  const hourly = createHourly(parts);
  return {
    start() {
      startedAt = clock.now();
      for (const loop of [...loops, hourly]) void loop.start();
    },
    stop() {
      for (const loop of loops) void loop.stop();
      return hourly.stop();
    },
  };
}

/** The gateway knows the channel. Before that it is being connected: its webhook may not be set yet. */
const isConnected = (channel: Channel) => shownState(channel) === "active" && channel.gatewayChannelId !== undefined;

function notification(
  { id, accountId, name: channel, trouble }: Channel,
  { config, explain, language }: Pick<WatchParts, "config" | "explain"> & { language: Language },
): Notification {
  const { broken, well } = notices[language];
  const names = { module: config.module.name, channel };
  if (trouble === undefined) return { type: "api.info", message: well(names) };
  const page = pageOf({ id, accountId }, config);
  return { type: "api.error", message: broken({ ...names, trouble: explain(trouble, language), page }) };
}

function quietNotice(
  channel: Channel,
  { config, language, ms }: Pick<WatchParts, "config"> & { language: Language; ms: number },
): Notification {
  const hours = Math.floor(ms / HOUR_MS);
  const names = { module: config.module.name, channel: channel.name };
  return { type: "api.info", message: notices[language].quiet({ ...names, hours, page: pageOf(channel, config) }) };
}

const pageOf = ({ id, accountId }: Pick<Channel, "id" | "accountId">, { publicUrl }: WatchParts["config"]) =>
  `${publicUrl}${accountPage(accountId)}/channels/${id}`;
