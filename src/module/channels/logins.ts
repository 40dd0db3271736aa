import { hasApp } from "gangway-messenger/apps";
import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import { cleanName, fingerprint, newSecret } from "gangway-messenger/ids";
import type { ChannelAdapter, ServerOptions } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import type { Channel } from "../../domain/channel.ts";
import type { Visit } from "../account/visits.ts";
import { patience } from "./link.ts";
import { type LoginFault, type Outcome, ownLogins, sharedLogins } from "./login-memory.ts";
import { type Chosen, createOffers, type OfferedChoice, type OfferParts } from "./login-offers.ts";

/**
 * Connects by a login at the messenger: redirects there and back, then the person chooses what to connect. A single
 * process keeps this in memory: a restart makes the person begin again, and unchosen tokens never reach the disk.
 * Several processes keep it encrypted in their database, for LOGIN_MS.
 */
export interface Logins {
  /** Whether this server has an app at the messenger. */
  canLogIn(kind: string): boolean;
  /** The messenger's login address for the redirect; undefined if it has no login. */
  begin(visit: Visit, kind: string): Promise<string | undefined>;
  /**
   * Called when a person returns, with the visits that are open in the browser. Resolves with the visit that began this
   * login, undefined if none did within LOGIN_MS. A state counts once: a repeat only waits for the first.
   */
  comeBack(kind: string, query: Record<string, string>, visits: Visit[]): Promise<Visit | undefined>;
  /** Outcome of the visit's last login at the messenger; undefined if there is none or it has expired. */
  outcome(visit: Visit, kind: string): Promise<LoginOutcome | undefined>;
  /** Connects the chosen logins of that outcome; undefined if it has expired. */
  connect(visit: Visit, kind: string, chosen: Chosen): Promise<Channel[] | undefined>;
}

export type LoginOutcome = { fault: LoginFault } | { choices: OfferedChoice[] };

export interface LoginParts extends OfferParts {
  config: { publicUrl: string };
  adapters: ChannelAdapter[];
  serverOptions(kind: string): ServerOptions;
  /** Lists the secrets in a kind's settings. */
  secretsOf(kind: string, settings: unknown): string[];
  call: Call;
  clock: Clock;
}

const MAX_DETAIL_LENGTH = 300;

const keyOf = ({ id }: Visit, kind: string) => `${id} ${kind}`;

export function createLogins(parts: LoginParts): Logins {
  const { clock } = parts;
  const { shared } = parts.store;
  const memory = shared ? sharedLogins(shared.remembered, clock) : ownLogins(clock);
  const offers = createOffers(parts);
  const addressOf = (kind: string) => `${parts.config.publicUrl}/apps/${kind}/login`;
  return {
    canLogIn: (kind) => appAt(parts, kind) !== undefined,
    async begin(visit, kind) {
      const app = appAt(parts, kind);
      if (!app) return undefined;
      const state = newSecret();
      await memory.begin(visit, kind, fingerprint(state));
      return app.login.authorizeUrl({ redirectUrl: addressOf(kind), state }, app.server);
    },
    async comeBack(kind, query, visits) {
      const stateHash = fingerprint(query.state ?? "");
      const asked = () => ask(parts, kind, query, addressOf(kind));
      for (const visit of visits) if (await memory.comeBack(visit, kind, stateHash, asked)) return visit;
      return undefined;
    },
    async outcome(visit, kind) {
      const outcome = await memory.outcome(visit, kind);
      return outcome && "choices" in outcome ? { choices: await offers.shown(visit.account, outcome) } : outcome;
    },
    connect: (visit, kind, chosen) =>
      parts.store.serial(`login ${keyOf(visit, kind)}`, async () => {
        const offer = await memory.outcome(visit, kind);
        if (!offer || !("choices" in offer)) return undefined;
        const opened = await offers.connect(visit.account, kind, offer, chosen);
        await memory.keep(visit, kind, offer);
        return opened;
      }),
  };
}

function appAt({ adapters, serverOptions }: Pick<LoginParts, "adapters" | "serverOptions">, kind: string) {
  const adapter = adapters.find((each) => each.kind === kind);
  const server = serverOptions(kind);
  return adapter && hasApp(adapter) && adapter.app.isSetUp(server) ? { login: adapter.app.login, server } : undefined;
}

async function ask(
  parts: LoginParts,
  kind: string,
  query: Record<string, string>,
  redirectUrl: string,
): Promise<Outcome> {
  const { call, clock, log } = parts;
  const app = appAt(parts, kind);
  const refused = refusalIn(query);
  if (!app || refused) return { fault: refused ?? { code: "empty" } };
  const { server, login } = app;
  if (query.code) log.hide(query.code);
  try {
    const choices = await login.choices({ query, redirectUrl, server, call, clock }, patience(clock));
    for (const { settings } of choices) for (const secret of parts.secretsOf(kind, settings)) log.hide(secret);
    return choices.length === 0 ? { fault: { code: "empty" } } : { choices, connected: new Set(), faults: new Map() };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    log.warn("login.failed", { kind, error: error.message });
    const isRefusal = error.verdict.type === "reject" || error.verdict.type === "reconnect";
    return { fault: { code: isRefusal ? "refused" : "away", detail: error.message } };
  }
}

/** Reads a login that the person or the messenger has refused (RFC 6749, 4.1.2.1). */
function refusalIn({ code, error, error_description: said = "" }: Record<string, string>): LoginFault | undefined {
  if (!error || code) return undefined;
  if (error === "access_denied") return { code: "cancelled" };
  return { code: "refused", detail: cutText(cleanName(said || error), MAX_DETAIL_LENGTH) };
}
