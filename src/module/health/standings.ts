import { type Clock, deadline } from "gangway-messenger/clock";
import { singleFlight } from "gangway-messenger/concurrency";
import { errorText } from "gangway-messenger/errors";
import type { ChannelId } from "gangway-messenger/ids";
import type { Account } from "../../domain/account.ts";
import { type Channel, shownState } from "../../domain/channel.ts";
import type { Log } from "../../log.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { createExpiring } from "../account/expiring.ts";
import type { ChannelActions } from "../channels/channels.ts";
import { keepStanding } from "./standing-note.ts";

/** Fetches logins' standing from messengers (quality, limits, verified name) and stores it as a note of the channel. */
export interface Standings {
  /** Called when a channel's page opens. Waits PAGE_MS at most; the page then shows what is stored. Never rejects. */
  look(account: Account, id: ChannelId): Promise<void>;
  /** Called every hour. Never rejects. */
  refresh(channel: Channel, stop?: AbortSignal): Promise<void>;
}

export interface StandingParts {
  store: Pick<Store, "accounts" | "channels" | "notes">;
  sessions: Pick<Sessions, "peek">;
  channels: Pick<ChannelActions, "announce">;
  clock: Clock;
  log: Log;
}

/** Deadlines for an answer: for a page, and otherwise, ms. */
const PAGE_MS = 2_500;
const ANSWER_MS = 15_000;
/** How long an answer counts as fresh, and how long pages do not ask again after a failure, ms. */
const FRESH_MS = 300_000;
const FAILED_MS = 60_000;

export function createStandings({ store, sessions, channels, clock, log }: StandingParts): Standings {
  const answered = createExpiring<true>(clock, FRESH_MS);
  const failed = createExpiring<true>(clock, FAILED_MS);
  const once = singleFlight<void>();
  /** In the background, since the gateway may be slow. Sends changes only; the next answer retries a failure. */
  const announce = async ({ id, accountId }: Channel) => {
    const account = await store.accounts.byId(accountId);
    if (account) await channels.announce(account, id);
  };
  const ask = async (channel: Channel, ms: number, stop?: AbortSignal) => {
    const { id, accountId } = channel;
    const { signal, end } = deadline(clock, ms, stop);
    try {
      const standing = await sessions.peek(channel).standing?.(signal);
      if (!standing) return;
      answered.set(id, true);
      await keepStanding(store.notes, id, { ...standing, at: clock.now() });
      announce(channel).catch((error) => log.warn("standing.not-announced", { channel: id, error: errorText(error) }));
    } catch (error) {
      failed.set(id, true);
      log.warn("standing.no-answer", { account: accountId, channel: id, error: errorText(error) });
    } finally {
      end();
    }
  };
  return {
    async look(account, id) {
      const channel = await store.channels.byId(account.id, id);
      if (!channel?.gatewayChannelId || shownState(channel) !== "active") return;
      if (failed.get(id) === undefined && answered.get(id) === undefined) await once(id, () => ask(channel, PAGE_MS));
    },
    refresh: (channel, stop) => once(channel.id, () => ask(channel, ANSWER_MS, stop)),
  };
}
