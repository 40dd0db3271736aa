import type { Clock } from "gangway-messenger/clock";
import { eachOf } from "gangway-messenger/concurrency";
import { errorText } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import { isOn } from "../../domain/account.ts";
import type { Channel } from "../../domain/channel.ts";
import { createLoop, type Loop } from "../../domain/loop.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { ChannelActions } from "../channels/channels.ts";
import type { Standings } from "./standings.ts";

export interface HourlyParts {
  store: Pick<Store, "accounts" | "channels">;
  channels: Pick<ChannelActions, "renew">;
  standings: Pick<Standings, "refresh">;
  clock: Clock;
  log: Log;
}

const [MINUTE_MS, MINUTES] = [60_000, 60];
/** Number of channels processed concurrently. */
const AT_ONCE = 8;

/**
 * Renews each channel's credentials and refreshes its standing once an hour. Each channel has a fixed minute derived
 * from its id, even across restarts, which spreads the calls to a messenger.
 */
export function createHourly({ store, channels, standings, clock, log }: HourlyParts): Loop {
  let before: number | undefined;
  /** Selects channels whose minute has come since the last round. */
  const dueNow = () => {
    const now = Math.floor(clock.monotonic() / MINUTE_MS);
    const since = Math.max(before ?? now - 1, now - MINUTES);
    before = now;
    return ({ id }: Channel) => {
      const own = Buffer.from(fingerprint(id), "base64url").readUInt32BE(0) % MINUTES;
      return Math.floor((now - own) / MINUTES) > Math.floor((since - own) / MINUTES);
    };
  };
  const care = async (known: Channel, stop: AbortSignal) => {
    // Reload: earlier channels may have taken minutes.
    const channel = await store.channels.ofJob(known.id);
    if (!channel?.gatewayChannelId || channel.state === "stopped") return;
    // Renew paused channels as well: their credentials must not lapse.
    await channels.renew(channel.id, stop);
    const renewed = await store.channels.ofJob(channel.id);
    if (renewed?.state === "active") await standings.refresh(renewed, stop);
  };
  const round = async (stop: AbortSignal) => {
    await eachOf(
      await workingChannels(store, dueNow()),
      AT_ONCE,
      (channel) =>
        care(channel, stop).catch((error) =>
          log.warn("hourly.failed", { account: channel.accountId, channel: channel.id, error: errorText(error) }),
        ),
      stop,
    );
  };
  const failed = (error: unknown) => log.warn("hourly.failed", { error: errorText(error) });
  return createLoop({ clock, everyMs: MINUTE_MS, round, failed });
}

/** Ignores the vendor's pause of an account: credentials must not lapse meanwhile, nor messages be missed. */
export async function workingChannels(
  store: Pick<Store, "accounts" | "channels">,
  isWanted: (channel: Channel) => boolean = () => true,
): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (const { id } of (await store.accounts.list()).filter(isOn))
    channels.push(...(await store.channels.list(id)).filter(isWanted));
  return channels;
}
