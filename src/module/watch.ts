import type { Config } from "../config.ts";
import { createCrm, type Notification } from "../crm/client.ts";
import { CrmError, isAway } from "../crm/verdict.ts";
import { works } from "../domain/account.ts";
import type { Call } from "../domain/call.ts";
import { type Channel, sameTrouble } from "../domain/channel.ts";
import { type Clock, deadline } from "../domain/clock.ts";
import { eachOf } from "../domain/concurrency.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { errorText } from "../domain/errors.ts";
import type { AccountId, ChannelId } from "../domain/ids.ts";
import { createLoop } from "../domain/loop.ts";
import type { Log } from "../log.ts";
import type { Sessions } from "../relay/sessions/sessions.ts";
import type { Store } from "../store/store.ts";

/** Looks after channels whose messengers would say nothing when messages cease, and tells people of trouble, once. */
export interface Watch {
  start(): void;
  stop(): void;
}

export interface WatchParts {
  config: Pick<Config, "module" | "publicUrl">;
  call: Call;
  store: Pick<Store, "accounts" | "channels">;
  sessions: Sessions;
  clock: Clock;
  log: Log;
}

/** Every channel is looked at this often, and what was found is told this often, ms: together below a minute. */
const LOOK_MS = 30_000;
const TELL_MS = 10_000;
/** A messenger that answers later than this is asked again the next time, ms. */
const ANSWER_MS = 15_000;
/** Accounts that are looked at side by side. */
const AT_ONCE = 8;
/** Most that is told in one round: the rest follows with the next. */
const MOST_TOLD = 100;

export function watching({ config, call, store, sessions, clock, log }: WatchParts): Watch {
  const lookAt = async (channel: Channel, stop: AbortSignal) => {
    const { signal, end } = deadline(clock, ANSWER_MS, stop);
    try {
      const { inspect } = sessions.peek(channel);
      if (!inspect) return;
      const trouble = await inspect(signal);
      if (!sameTrouble(trouble, channel.trouble)) await store.channels.setTrouble(channel.id, trouble, channel.epoch);
    } catch (error) {
      const words = errorText(error);
      if (error instanceof DeliveryError && error.verdict.type === "reconnect")
        return store.channels.setState(channel.id, "stopped", words, { epoch: channel.epoch });
      log.warn("watch.no-answer", { channel: channel.id, error: words });
    } finally {
      end();
    }
  };
  /** One that cannot be read, or whose state cannot be kept, leaves the others theirs. */
  const lookAtAccount = async (account: AccountId, stop: AbortSignal) => {
    const failed = (channel?: ChannelId) => (error: unknown) => {
      log.warn("watch.failed", { account, channel, error: String(error) });
      return [];
    };
    const lookAtOne = async (id: ChannelId) => {
      // Read anew: those before it may have taken minutes.
      const channel = await store.channels.byId(account, id);
      if (channel?.state === "active") await lookAt(channel, stop);
    };
    for (const { id } of await store.channels.list(account).catch(failed())) await lookAtOne(id).catch(failed(id));
  };
  const lookAtAll = async (stop: AbortSignal) => {
    const accounts = (await store.accounts.list()).filter(works);
    await eachOf(accounts, AT_ONCE, ({ id }) => lookAtAccount(id, stop), stop);
  };
  const tell = async (channel: Channel) => {
    const account = await store.accounts.byId(channel.accountId);
    if (!account || !works(account)) return;
    const { apiKey, crmUrl } = account;
    try {
      await createCrm({ call, crmUrl, apiKey }).notify(notification(channel, config));
      log.info("channel.told", { account: account.id, channel: channel.id, trouble: channel.trouble !== undefined });
    } catch (error) {
      if (!(error instanceof CrmError)) throw error;
      log.warn("channel.not-told", { account: account.id, channel: channel.id, reason: error.reason });
      // A CRM that is away is told later; one that refuses leaves the account page only.
      if (isAway(error)) return;
    }
    await store.channels.setReported(channel.id, channel.trouble);
  };
  /** What the CRM's users are told is remembered beside the trouble, so that a restart neither forgets nor repeats it. */
  const tellAll = async () => {
    for (const channel of await store.channels.unreported(MOST_TOLD))
      await tell(channel).catch((error) =>
        log.warn("channel.not-told", { account: channel.accountId, channel: channel.id, reason: String(error) }),
      );
  };
  const failed = (error: unknown) => log.warn("watch.failed", { error: String(error) });
  const loops = [
    createLoop({ clock, everyMs: LOOK_MS, round: lookAtAll, failed }),
    createLoop({ clock, everyMs: TELL_MS, round: tellAll, failed }),
  ];
  return {
    start() {
      for (const loop of loops) void loop.start();
    },
    stop() {
      for (const loop of loops) void loop.stop();
    },
  };
}

function notification({ name, trouble }: Channel, { module, publicUrl }: WatchParts["config"]): Notification {
  if (trouble === undefined) return { type: "api.info", message: `${module.name}: ${name} works again.` };
  return { type: "api.error", message: `${module.name}: ${name} – ${trouble}. See ${publicUrl}/account` };
}
