import type { Channel } from "../../domain/channel/channel.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Clock } from "../../domain/time/clock.ts";
import { eachOf, serialByKey } from "../../domain/time/concurrency.ts";
import { createLoop, type Loop } from "../../domain/time/loop.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { Take } from "./taking.ts";

/** Reads parked parts of requests once their channels can take them: in order, as if they had come now. */
export interface ReadParked extends Loop {
  /** In the background, unless the channel could take nothing a moment ago. */
  soon(login: string): void;
  /** A channel was added, changed or resumed. */
  changed(id: ChannelId): void;
}

interface ReadParkedParts {
  store: Pick<Store, "channels" | "parked">;
  take: Take;
  clock: Clock;
  log: Log;
}

/** Interval of a try of everything, ms. */
const ROUND_MS = 30_000;
/** Logins at once. */
const AT_ONCE = 8;

export function createReadParked({ store, take, clock, log }: ReadParkedParts): ReadParked {
  const { parked, channels } = store;
  const serial = serialByKey<string>();
  const queued = new Set<string>();
  /** Until the next round: parts on which a session fails, which hold up no others, and logins that can take nothing. */
  const failing = new Set<number>();
  const blocked = new Set<string>();

  /** False when the channel can take nothing more now. */
  const readOne = async (channel: Channel, position: number): Promise<boolean> => {
    const found = await parked.read(position, channel.accountId);
    if (!found) return true;
    const { part, isOwn } = found;
    const taken = part && (await take(channel, part.request, part.proven));
    if (!taken || (taken.type === "unable" && taken.by === "part")) {
      failing.add(position);
      return true;
    }
    if (taken.type === "unable") return false;
    if (taken.type === "refused") {
      // A stopped channel may have lost the secret that proves it.
      if (isOwn && channel.state === "stopped") return false;
      log.warn("forwarded.refused", { channel: channel.id, status: taken.status });
    }
    await parked.remove(position);
    return true;
  };
  const readAll = async (login: string, stop?: AbortSignal): Promise<void> => {
    queued.delete(login);
    const holder = await channels.byIdentity(login);
    if (!holder) return;
    for (const position of await parked.of(login, holder.accountId)) {
      if (stop?.aborted) return;
      if (failing.has(position)) continue;
      // It may have changed since, or another account's channel has the login now.
      const channel = await channels.byIdentity(login);
      if (channel?.accountId !== holder.accountId) return;
      if (await readOne(channel, position)) continue;
      blocked.add(login);
      await parked.adopt(login, channel);
      return;
    }
  };
  const read = (login: string, stop?: AbortSignal) => {
    if (queued.has(login)) return Promise.resolve();
    queued.add(login);
    return serial(login, () => readAll(login, stop));
  };
  const failed = (error: unknown) => log.warn("parked.not-read", { error: String(error) });
  const loop = createLoop({
    ...{ clock, everyMs: ROUND_MS, failed },
    async round(stop) {
      const expired = await parked.expire();
      if (expired > 0) log.warn("parked.expired", { count: expired });
      failing.clear();
      blocked.clear();
      await eachOf(await parked.logins(), AT_ONCE, (login) => read(login, stop).catch(failed), stop);
    },
  });
  const soon = (login: string) => {
    if (!blocked.has(login)) void read(login).catch(failed);
  };
  return {
    ...loop,
    soon,
    changed(id) {
      const look = async () => {
        const login = (await channels.ofJob(id))?.identity;
        if (login === undefined) return;
        blocked.delete(login);
        soon(login);
      };
      look().catch(failed);
    },
  };
}
