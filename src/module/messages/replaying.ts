import { systemClock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Config } from "../../config.ts";
import { createLog } from "../../log.ts";
import { createStreams } from "../../relay/sessions/feeds.ts";
import { createJournals, createSessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { type ReplayReport, replayWindow } from "./replay.ts";

interface Parts {
  config: Config;
  store: Store;
  adapters: ChannelAdapter[];
}
type Window = Parameters<typeof replayWindow>[1];

/** Replays kept webhooks as the server would, without a call. */
export const replayKept = (parts: Parts, window: Window): Promise<ReplayReport> =>
  replayWindow(replayParts(parts), window);

/** Sessions that parse webhooks but make no calls. */
function replayParts({ config, store, adapters }: Parts) {
  let time = 0;
  const journals = createJournals(store);
  const sessions = createSessions({
    ...{ adapters, store, journals, publicUrl: config.publicUrl, markup: config.markup },
    streamsOf: createStreams(config.limits.streams),
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "no calls during a replay" }),
    clock: { ...systemClock, now: () => time, monotonic: () => time },
    serverOptions: (kind) => ({ updates: config.updates, ...config.messengers[kind] }),
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
