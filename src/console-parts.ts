import type { Clock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { Config } from "./config.ts";
import type { Account } from "./domain/account.ts";
import type { AccountId } from "./domain/ids.ts";
import { consoleSite } from "./http/console/site.ts";
import type { Log } from "./log.ts";
import { isAnnounced } from "./module/channels/announcing.ts";
import type { ChannelActions } from "./module/channels/channels.ts";
import { createBulk } from "./module/vendor/bulk.ts";
import { createFleet, type FleetParts } from "./module/vendor/fleet.ts";
import { createPausing } from "./module/vendor/pausing.ts";
import { createReplays, type ReplaysParts } from "./module/vendor/replays.ts";
import { createRollOut } from "./module/vendor/rollout.ts";
import { createLinkForSupport } from "./module/vendor/support.ts";
import { createVendorUndelivered } from "./module/vendor/undelivered.ts";
import type { Sessions } from "./relay/sessions/sessions.ts";
import type { Store } from "./store/store.ts";

interface Parts extends Pick<FleetParts, "checked">, Pick<ReplaysParts, "journals"> {
  store: Store;
  adapters: ChannelAdapter[];
  clock: Clock;
  log: Log;
  channels: Pick<ChannelActions, "announceAll">;
  sessions: Sessions;
  resumed(account: Account): void;
  wake(id: AccountId): void;
}

/** Builds the vendor's console and API; undefined when no console is configured. */
export function consoleOf(config: Config, { store, adapters, clock, log, journals, ...relay }: Parts) {
  const { console: at, module, publicUrl, limits } = config;
  if (!at) return undefined;
  const { formBytes, outboundPatienceMs } = limits;
  const { isAway } = store;
  const waking = { store, clock, wake: relay.wake };
  const fleet = createFleet({ store, checked: relay.checked });
  const undelivered = createVendorUndelivered({ ...waking, patienceMs: outboundPatienceMs });
  const replays = createReplays({ config, adapters, journals, ...waking });
  return consoleSite({
    ...{ token: at.token, moduleName: module.name, formBytes, fleet, clock, log, isAway },
    linkForSupport: createLinkForSupport({ store, publicUrl }),
    pausing: createPausing({ store, through: "console", server: config, resumed: relay.resumed }),
    bulk: createBulk({ ...waking, outboundPatienceMs }),
    replays,
    rollOut: createRollOut({
      ...{ store, log, announceAll: relay.channels.announceAll },
      isAnnounced: (channel) => isAnnounced({ store, sessions: relay.sessions }, channel),
    }),
    api: { fleet, undelivered, replays, tokenOf: store.apiTokens.find, isAway, log },
  });
}
