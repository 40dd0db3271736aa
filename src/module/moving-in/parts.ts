import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import { type Config, serverOptionsOf } from "../../config.ts";
import { createPermits } from "../../gateway/limiter.ts";
import { emptyAnswers } from "../../gateway/sending.ts";
import { createLog, type Log } from "../../log.ts";
import { createStreams } from "../../relay/sessions/feeds.ts";
import { createGateways, createJournals, createSessions, type Sessions } from "../../relay/sessions/sessions.ts";
import type { Store } from "../../store/store.ts";
import { type ChannelLink, createChannelLink, type LinkParts } from "../channels/link.ts";
import { createTokenRenewal, type OfferedCallbacks } from "../connecting/connect.ts";
import { createKeyTrial, type TryKey } from "../connecting/key-trial.ts";
import { offersOf } from "../connecting/offers.ts";
import { createLocate, type Locate } from "../connecting/whereabouts.ts";

/** What a command needs to act on accounts while the server runs. */
export interface MovingParts {
  config: Config;
  store: Store;
  call: Call;
  clock: Clock;
  log: Log;
  sessions: Sessions;
  gatewayOf: LinkParts["gatewayOf"];
  link: ChannelLink;
  tryKey: TryKey;
  locate: Locate;
  offers: OfferedCallbacks;
}

/** Share of the gateway's thirty requests a second; the server uses the rest. */
const PERMITS = 4;

export function movingParts(
  given: Pick<MovingParts, "config" | "store" | "call" | "clock"> & { adapters: ChannelAdapter[] },
): MovingParts {
  const { config, store, call, clock, adapters } = given;
  const log = createLog({ level: "silent", write: () => {} });
  const renewToken = createTokenRenewal({ config, call, store, log });
  const permits = createPermits(clock, undefined, PERMITS);
  const gatewayOf = createGateways({ call, permits, renewToken, clock, isDone: emptyAnswers() });
  const sessions = createSessions({
    ...{ adapters, store, journals: createJournals(store), call, clock, gatewayOf },
    ...{ publicUrl: config.publicUrl, markup: config.markup, streamsOf: createStreams(config.limits.streams) },
    serverOptions: serverOptionsOf(config),
  });
  const parts = { config, store, call, clock, log };
  return {
    ...{ ...parts, sessions, gatewayOf, offers: offersOf(adapters) },
    // No `wake`: a running server notices stored changes by itself.
    link: createChannelLink({ ...parts, sessions, gatewayOf, wake: () => {} }),
    tryKey: createKeyTrial({ ...parts, mayGuess: async () => true }),
    locate: createLocate(parts),
  };
}
