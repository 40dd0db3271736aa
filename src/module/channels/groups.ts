import { type Clock, deadline } from "gangway-messenger/clock";
import { errorText } from "gangway-messenger/errors";
import type { Channel } from "../../domain/channel.ts";
import type { Log } from "../../log.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";

export interface GroupParts {
  store: Pick<Store, "channels">;
  sessions: Pick<Sessions, "peek">;
  clock: Clock;
  log: Log;
}

/** Deadline for the messenger's answer, ms. */
const ANSWER_MS = 15_000;

/** Asks which groups a channel's login belongs to and stores them. Failures are only logged: the next hour retries. */
export async function learnGroups(parts: GroupParts, channel: Channel, stop?: AbortSignal): Promise<void> {
  const { store, sessions, clock, log } = parts;
  const { signal, end } = deadline(clock, ANSWER_MS, stop);
  try {
    const groups = await sessions.peek(channel).groups?.(signal);
    if (groups) await store.channels.setGroups(channel.id, groups);
  } catch (error) {
    log.warn("channel.groups-unknown", { account: channel.accountId, channel: channel.id, error: errorText(error) });
  } finally {
    end();
  }
}
