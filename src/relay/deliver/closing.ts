import { type Account, works } from "../../domain/account/account.ts";
import { type Channel, REMOVED } from "../../domain/channel/channel.ts";
import { type Clock, pause } from "../../domain/time/clock.ts";
import type { Gateway } from "../../gateway/client.ts";
import type { Store } from "../../store/store.ts";
import { closingReport } from "./reports.ts";

/**
 * Ends what agents wrote in a channel and has not left, and waits until the gateway has the acks: it takes none once the channel
 * is deactivated. Throws DeliveryError when the gateway does not answer; then nothing has ended.
 */
type CloseChannel = (account: Account, channel: Channel, signal: AbortSignal) => Promise<void>;

interface ClosingParts {
  store: Pick<Store, "messages" | "outbox">;
  gatewayOf(account: Account): Gateway;
  wake(account: Account): void;
  clock: Clock;
}

/** How long a person waits for the acks, and the polling interval, ms. */
const ACKS_MS = 15_000;
const LOOK_MS = 100;

export const createCloseChannel =
  ({ store, gatewayOf, wake, clock }: ClosingParts): CloseChannel =>
  async (account, { id: channelId, gatewayChannelId }, signal) => {
    const waits = () => store.messages.hasOutbound(channelId);
    // An account that is switched off makes no calls.
    if (!gatewayChannelId || !works(account) || !(await waits())) return;
    await gatewayOf(account).check(signal);
    const until = clock.monotonic() + ACKS_MS;
    do {
      // Some at a time, and what arrives meanwhile.
      await store.outbox.expire(closingReport, { channelId, error: REMOVED });
      wake(account);
      await pause(clock, LOOK_MS, signal);
    } while (!signal.aborted && clock.monotonic() < until && (await waits()));
  };
