import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import type { Explain } from "gangway-messenger/explanations";
import type { ChannelAdapter, ServerOptions } from "gangway-messenger/port";
import type { Config } from "./config.ts";
import type { Account } from "./domain/account.ts";
import type { Live } from "./http/account/live.ts";
import type { Log } from "./log.ts";
import { createErasing } from "./module/account/erasing.ts";
import { createHistory } from "./module/account/history.ts";
import { createVisits } from "./module/account/visits.ts";
import type { ChannelActions } from "./module/channels/channels.ts";
import { createChannelCheck } from "./module/channels/check.ts";
import { createLogins } from "./module/channels/logins.ts";
import { secretSettings } from "./module/channels/secret-settings.ts";
import type { Confirmation } from "./module/connecting/confirmation.ts";
import { createConnecting } from "./module/connecting/connecting.ts";
import { createDisconnect } from "./module/connecting/disconnect.ts";
import { createLocale } from "./module/connecting/locale.ts";
import { offersOf } from "./module/connecting/offers.ts";
import { createLiveTests, type LiveTestParts } from "./module/health/live-tests.ts";
import type { Standings } from "./module/health/standings.ts";
import { createRehearsals } from "./module/messages/rehearsals.ts";
import { createStories } from "./module/messages/stories.ts";
import { createUndelivered } from "./module/messages/undelivered.ts";
import type { TemplateSync } from "./module/templates/templates.ts";
import type { AcceptInbound } from "./relay/accept/inbound.ts";
import type { Sessions } from "./relay/sessions/sessions.ts";
import type { Store } from "./store/store.ts";

interface Parts {
  config: Config;
  log: Log;
  clock: Clock;
  adapters: ChannelAdapter[];
  call: Call;
  store: Store;
  serverOptions(kind: string): ServerOptions;
  confirmation: Confirmation;
  relay: {
    sessions: Sessions;
    acceptInbound: AcceptInbound;
    channels: ChannelActions;
    standings: Standings;
    templates: { sync: TemplateSync };
    doorListeners: LiveTestParts["doorListeners"];
    explain: Explain;
    live: Live;
    wake(account: Account): void;
    resumeAccount(account: Account): void;
  };
}

/** Builds what the account's pages and forms call. */
export function createAccountParts({ relay, confirmation, serverOptions, ...base }: Parts) {
  const { config, log, clock, adapters, call, store } = base;
  const { sessions, acceptInbound, wake, channels, standings, templates, resumeAccount, explain, live } = relay;
  const locale = createLocale({ call, store, clock, log });
  const connected = (account: Account) => {
    resumeAccount(account);
    // Connecting switches the module on; only the CRM knows whether it is frozen.
    confirmation
      .ask(account.id, { active: true, frozen: false })
      .catch((error) => log.warn("account.not-asked", { account: account.id, error: String(error) }));
    // Learn the locale now: the next page is already in the account's language.
    return locale.learn(account);
  };
  const { oneClick, ...connecting } = createConnecting({
    ...{ config, call, store, clock, log, connected },
    offers: offersOf(adapters),
  });
  const relaying = { store, sessions, acceptInbound, keepRaw: config.rawWebhookDays > 0 };
  const stories = createStories({ store, explain, clock });
  const following = { ...relaying, stories, doorListeners: relay.doorListeners, explain, clock, test: channels.test };
  const logins = createLogins({ ...base, channels, serverOptions, secretsOf: secretSettings(adapters) });
  const account = {
    ...{ publicUrl: config.publicUrl, embedding: config.embedding },
    moduleName: config.module.name,
    formBytes: config.limits.formBytes,
    clock,
    ...connecting,
    visits: createVisits({ store, clock, adapters, config, explain, canLogIn: logins.canLogIn, learn: locale.learn }),
    logins,
    undelivered: createUndelivered({ store, adapters, config, clock, wake, explain }),
    ...{ channels, standings, templates: templates.sync },
    checkChannel: createChannelCheck({ sessions, clock }),
    retainDays: config.retainDays,
    disconnect: createDisconnect({ config, call, store, channels, log }),
    erasing: createErasing({ store, clock, log }),
    ...{ live, history: createHistory({ store }), stories },
    liveTests: createLiveTests(following),
    rehearsals: createRehearsals(following),
  };
  return { account, oneClick, locale };
}
