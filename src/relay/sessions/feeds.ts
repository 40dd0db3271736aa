import type { Feed, Receipt } from "../../channels/port.ts";
import { type Channel, sameTrouble } from "../../domain/channel.ts";
import { type Clock, pause } from "../../domain/clock.ts";
import { serialByKey } from "../../domain/concurrency.ts";
import { DeliveryError, retryDelayMs } from "../../domain/delivery.ts";
import { errorText } from "../../domain/errors.ts";
import type { ChannelId } from "../../domain/ids.ts";
import { Overload } from "../../domain/overload.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { Sessions } from "./sessions.ts";

/** Keeps asking the messengers that do not call. One feed a channel, begun anew whenever the channel has changed. */
export interface Feeds {
  start(): Promise<void>;
  /** The channel was made, changed, stopped or removed. */
  follow(id: ChannelId): Promise<void>;
  /** Resolves when nothing is asked any more. */
  stop(): Promise<void>;
}

type Arrival = Omit<Receipt, "reply">;

interface Parts {
  store: Pick<Store, "accounts" | "channels">;
  sessions: Sessions;
  /** Resolves once what the feed brought is on the disk. Throws Overload. */
  acceptInbound(channel: Channel, arrival: Arrival): Promise<void>;
  clock: Clock;
  log: Log;
  random(): number;
}
interface Running {
  abort: AbortController;
  ended: Promise<void>;
}

/** Failures after which the delay grows no more. */
const MOST_DOUBLINGS = 7;
/** A feed that ends sooner than this is not begun again before, ms. */
const SHORTEST_MS = 1_000;

export function createFeeds(parts: Parts): Feeds {
  const { store, sessions } = parts;
  const running = new Map<ChannelId, Running>();
  let stopped = false;
  const end = async (id: ChannelId) => {
    const feed = running.get(id);
    running.delete(id);
    feed?.abort.abort();
    await feed?.ended;
  };
  const begin = (channel: Channel) => {
    if (stopped || channel.state !== "active") return;
    const feed = sessions.inPassing(channel).feed && sessions.of(channel).feed;
    if (!feed) return;
    const abort = new AbortController();
    running.set(channel.id, { abort, ended: keepAsking(parts, channel, feed, abort.signal) });
  };
  const again = async (id: ChannelId) => {
    await end(id);
    const channel = await store.channels.ofJob(id);
    if (channel) begin(channel);
  };
  // One after another: two feeds of one login would take each other's messages.
  const serial = serialByKey<ChannelId>();
  const follow = (id: ChannelId) => serial(id, () => again(id));
  const notStarted = (whose: object) => (error: unknown) => {
    parts.log.warn("feed.not-started", { ...whose, error: String(error) });
    return [];
  };
  return {
    async start() {
      for (const { id } of await store.accounts.list())
        for (const channel of await store.channels.list(id).catch(notStarted({ account: id }))) {
          try {
            if (!running.has(channel.id)) begin(channel);
          } catch (error) {
            notStarted({ channel: channel.id })(error);
          }
        }
    },
    follow,
    async stop() {
      stopped = true;
      await Promise.all([...running.keys()].map(end));
    },
  };
}

async function keepAsking(parts: Parts, channel: Channel, feed: Feed, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = parts;
  let failures = 0;
  const tell = teller(parts, channel);
  while (!signal.aborted) {
    const began = clock.monotonic();
    try {
      await feed.run(async (arrival) => {
        await saved(parts, channel, arrival, signal);
        failures = 0;
        await tell(arrival.trouble);
      }, signal);
      await pause(clock, SHORTEST_MS - (clock.monotonic() - began), signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      const words = errorText(error);
      log.warn("feed.failed", { channel: channel.id, failures, error: words });
      try {
        if (error instanceof DeliveryError && error.verdict.type === "reconnect")
          return await store.channels.setState(channel.id, "stopped", words, { epoch: channel.epoch });
        // Once is a hiccup of the network; what lasts is told.
        if (failures > 1) await tell(words);
      } catch (fault) {
        // A full disk: the next failure says it again.
        log.warn("feed.not-told", { channel: channel.id, error: String(fault) });
      }
      await pause(clock, retryDelayMs(Math.min(failures, MOST_DOUBLINGS), parts.random()), signal);
    }
  }
}

/** Keeps the trouble of a channel, or that it is over, where the CRM's users are told of it: each once. */
function teller({ store }: Parts, channel: Channel): (trouble: string | undefined) => Promise<void> {
  let told: string | undefined = channel.trouble ?? "";
  return async (trouble) => {
    if (sameTrouble(trouble, told)) return;
    await store.channels.setTrouble(channel.id, trouble);
    told = trouble;
  };
}

/** Where there is no room the feed rests with what it holds: it asks for nothing more, and its cursor stays. */
async function saved(
  { acceptInbound, clock, log }: Parts,
  channel: Channel,
  arrival: Arrival,
  signal: AbortSignal,
): Promise<void> {
  for (let told = false; ; told = true) {
    try {
      return await acceptInbound(channel, arrival);
    } catch (error) {
      if (!(error instanceof Overload) || signal.aborted) throw error;
      if (!told) log.warn("feed.resting", { channel: channel.id, bound: error.bound });
      await pause(clock, error.retryAfter * 1000, signal);
      // The channel may be gone by now.
      if (signal.aborted) throw error;
    }
  }
}
