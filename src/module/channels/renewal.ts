import { type Clock, deadline } from "gangway-messenger/clock";
import { DeliveryError, errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { Channel } from "../../domain/channel.ts";
import type { Log } from "../../log.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";

export interface RenewalParts {
  store: Pick<Store, "channels">;
  sessions: Pick<Sessions, "adapter" | "peek">;
  clock: Clock;
  /** Called after a channel was changed. */
  changed(id: ChannelId): void;
  log: Log;
}

/** Deadline for one renewal, ms. */
const ANSWER_MS = 15_000;

/**
 * Renews a channel's credentials if due. The new credentials are stored before they are used; until then the row holds
 * the old ones, so a crash loses nothing while the messenger accepts both. The channel's epoch rises: calls in progress
 * end with the old credentials, whose refusal no longer stops the channel; the next call opens a session with the new
 * ones. Feeds and open streams restart.
 */
export async function renewCredentials(parts: RenewalParts, channel: Channel, stop?: AbortSignal): Promise<void> {
  const { store, sessions, clock, changed, log } = parts;
  const { id, epoch, name, unsure } = channel;
  const { signal, end } = deadline(clock, ANSWER_MS, stop);
  try {
    const renewed = await sessions.peek(channel).renew?.(signal);
    if (!renewed) return;
    const settings = sessions.adapter(channel.kind)?.settings.parse(renewed);
    await store.channels.change(id, { name, settings, unsure });
    const now = await store.channels.ofJob(id);
    // The messenger may have refused the old credentials before the new ones were stored.
    if (channel.state === "active" && now?.state === "stopped") await store.channels.setState(id, "active");
    log.info("channel.renewed", { account: channel.accountId, channel: id });
    changed(id);
  } catch (error) {
    const reason = errorText(error);
    log.warn("channel.not-renewed", { account: channel.accountId, channel: id, error: reason });
    if (channel.state !== "active" || !(error instanceof DeliveryError) || error.verdict.type !== "reconnect") return;
    await store.channels.setState(id, "stopped", reason, { epoch });
    changed(id);
  } finally {
    end();
  }
}
