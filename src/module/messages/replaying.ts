import { systemClock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import { type Config, serverOptionsOf } from "../../config.ts";
import { createLog } from "../../log.ts";
import { createStreams } from "../../relay/sessions/feeds.ts";
import { createJournals, createSessions, type Journals } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { type ReplayReport, replayWindow } from "./replay.ts";

interface Parts {
  config: Config;
  store: Store;
  adapters: ChannelAdapter[];
  /** The server's own journals, so that followers see the replayed entries; by default nobody follows. */
  journals?: Journals;
}
type Window = Parameters<typeof replayWindow>[1];

/** Replays stored webhooks as the server would, without outgoing calls. */
export async function replayKept(parts: Parts, window: Window): Promise<ReplayReport> {
  const made = replayParts(parts);
  try {
    return await replayWindow(made, window);
  } finally {
    made.sessions.keepOnly(window.account.id, []);
  }
}

/** Sessions that parse webhooks but make no calls. */
function replayParts({ config, store, adapters, journals = createJournals(store) }: Parts) {
  let time = 0;
  const sessions = createSessions({
    ...{ adapters, store, journals, publicUrl: config.publicUrl, markup: config.markup },
    streamsOf: createStreams(config.limits.streams),
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "no calls during a replay" }),
    clock: { ...systemClock, now: () => time, monotonic: () => time },
    serverOptions: serverOptionsOf(config),
    gatewayOf: () => {
      throw new Error("no gateway calls during a replay");
    },
  });
  return {
    ...{ store, sessions, journals },
    patienceMs: config.limits.outboundPatienceMs,
    setTime: (ms: number) => {
      time = ms;
    },
    log: createLog({ level: "silent", write: () => {} }),
  };
}
