import type { Forwarded } from "../../channels/port.ts";
import type { Channel } from "../../domain/channel/channel.ts";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import { eachOf } from "../../domain/time/concurrency.ts";
import type { Log } from "../../log.ts";
import type { Store } from "../../store/store.ts";
import type { ReadParked } from "./parked.ts";
import type { Take } from "./taking.ts";

/**
 * Brings parts of a request to the channels that have their logins. Resolves once each is stored, known, parked or refused.
 * `from`: at whose door they came; absent: at that of the vendor's app. Throws Overload of the whole server.
 */
export type Forward = (parts: Forwarded[], from?: Channel) => Promise<void>;

interface ForwardingParts {
  store: Pick<Store, "channels" | "parked">;
  take: Take;
  parked: ReadParked;
  log: Log;
}

/** Logins of a request at once. */
const AT_ONCE = 16;

export function createForward({ store, take, parked, log }: ForwardingParts): Forward {
  const [refused, dropped] = [createCount(), createCount()];
  const park = async (part: Forwarded, from: Channel | undefined, channel?: Channel, proven = false) => {
    // Nothing unproven takes up the room of another account.
    const own = proven || !isForeign(from, channel) ? channel : undefined;
    log.debug("forwarded.parked", { login: part.login, channel: own?.id, from: from?.id });
    const gone = await store.parked.park({ ...part, proven, channel: own, from: from?.accountId });
    if (gone > 0) dropped(gone, (count) => log.warn("parked.dropped", { login: part.login, channel: own?.id, count }));
  };
  const forwardOne = async (part: Forwarded, from: Channel | undefined): Promise<void> => {
    const { login, request } = part;
    const channel = await store.channels.byIdentity(login);
    if (!channel) return park(part, from);
    if (!isForeign(from, channel) && (await store.parked.waits(login, channel.accountId))) {
      // Behind what came before it.
      await park(part, from, channel);
      return parked.soon(login);
    }
    const taken = await take(channel, request, false);
    if (taken.type === "taken") return;
    if (taken.type === "unable") {
      log.warn("forwarded.not-taken", { channel: channel.id, from: from?.id, reason: taken.why });
      return park(part, from, channel, taken.proven);
    }
    // A stopped channel may have lost the secret that proves it.
    if (channel.state === "stopped" && !isForeign(from, channel)) return park(part, from, channel);
    const about = { channel: channel.id, from: from?.id, status: taken.status };
    refused(1, (count) => log.warn("forwarded.refused", { ...about, count }));
  };
  return async (parts, from) => {
    const [only, ...others] = parts;
    if (only && others.length === 0) return forwardOne(only, from);
    const logins = new Map<string, Forwarded[]>();
    for (const part of parts) {
      const ofLogin = logins.get(part.login) ?? [];
      logins.set(part.login, ofLogin);
      ofLogin.push(part);
    }
    await eachOf(logins.values(), AT_ONCE, async (ofLogin) => {
      // A login's parts in order, as a chat's messages are.
      for (const part of ofLogin) await forwardOne(part, from);
    });
  };
}

/** Counts, and says so at the 1st, 10th, 100th … */
function createCount(): (more: number, say: (count: number) => void) => void {
  let count = 0;
  return (more, say) => {
    const before = count;
    count += more;
    if (reachesPowerOfTen(count, before)) say(count);
  };
}

/** Whether a part comes by an app of another account. */
const isForeign = (from: Channel | undefined, channel: Channel | undefined): boolean =>
  from !== undefined && from.accountId !== channel?.accountId;
