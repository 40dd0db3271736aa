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
/** Channels cared for concurrently. */
const AT_ONCE = 8;

/**
 * Once an hour renews each channel's credentials and asks how its login stands. Every channel has a minute of its own,
 * also after a restart: a messenger is not asked about all of them at once.
 */
export function createHourly({ store, channels, standings, clock, log }: HourlyParts): Loop {
  let before: number | undefined;
  /** Those whose minute has come since the last round. */
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
    // Reload: earlier ones may have taken minutes.
    const channel = await store.channels.ofJob(known.id);
    if (!channel?.gatewayChannelId || channel.state === "stopped") return;
    // A paused one, too: its credentials must not lapse while it waits.
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

/** Of all accounts that the CRM has on: credentials must not lapse, nor messages be missed, while the vendor has paused one. */
export async function workingChannels(
  store: Pick<Store, "accounts" | "channels">,
  isWanted: (channel: Channel) => boolean = () => true,
): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (const { id } of (await store.accounts.list()).filter(isOn))
    channels.push(...(await store.channels.list(id)).filter(isWanted));
  return channels;
}
