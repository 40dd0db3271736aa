import { hasApp } from "../channels/apps.ts";
import type { ChannelAdapter, ServerOptions } from "../channels/port.ts";
import type { Call } from "../domain/call.ts";
import type { Channel } from "../domain/channel.ts";
import type { Clock } from "../domain/clock.ts";
import { serialByKey } from "../domain/concurrency.ts";
import { DeliveryError } from "../domain/delivery.ts";
import { fingerprint, newSecret, sameSecret } from "../domain/ids.ts";
import { cleanName } from "../domain/names.ts";
import { patience } from "./channel-link.ts";
import { createExpiring } from "./expiring.ts";
import { createOffers, type Offer, type OfferedChoice, type OfferParts } from "./login-offers.ts";
import type { Visit } from "./visits.ts";

/**
 * Connecting by a login at the messenger: there and back by redirects, then the person chooses what to connect. All of it
 * is in memory: a restart asks the person to begin again, and no token that nobody chose reaches the disk.
 */
export interface Logins {
  /** Whether this server has an app at that messenger. */
  canLogIn(kind: string): boolean;
  /** The messenger's address to send the person to; undefined where there is no login. */
  begin(visit: Visit, kind: string): string | undefined;
  /**
   * Called when a person comes back, with the visits that are open in their browser. Resolves with the one that began
   * this login; undefined: none did, or more than LOGIN_MS ago. A state counts once: its repeat only waits for the first.
   */
  comeBack(kind: string, query: Record<string, string>, visits: Visit[]): Promise<Visit | undefined>;
  /** What came of the visit's last login at that messenger; undefined: nothing, or too long ago. */
  outcome(visit: Visit, kind: string): Promise<LoginOutcome | undefined>;
  /** Connects the chosen ones of that outcome; undefined: there is none any more. */
  connect(visit: Visit, kind: string, chosen: string[]): Promise<Channel[] | undefined>;
}

export type LoginOutcome = { fault: LoginFault } | { choices: OfferedChoice[] };
/** `detail`: the messenger's own words, or why it could not be asked. */
export type LoginFault = { code: "cancelled" | "empty" } | { code: "refused" | "away"; detail: string };

export interface LoginParts extends OfferParts {
  config: { publicUrl: string };
  adapters: ChannelAdapter[];
  serverOptions(kind: string): ServerOptions;
  /** The secrets in a kind's settings. */
  secretsOf(kind: string, settings: unknown): string[];
  call: Call;
  clock: Clock;
}

/** How long a person may take at the messenger, and then to choose, ms. */
export const LOGIN_MS = 600_000;
/** Logins that one visit may have begun at a messenger, say in several tabs. */
const MAX_BEGUN = 3;
const MAX_DETAIL_LENGTH = 300;

interface Begun {
  stateHash: string;
  until: number;
  /** Of the first to come back with this state. */
  back?: Promise<void>;
}
type Outcome = { fault: LoginFault } | Offer;

const keyOf = ({ id }: Visit, kind: string) => `${id} ${kind}`;

export function createLogins(parts: LoginParts): Logins {
  const { clock } = parts;
  const begun = createExpiring<Begun[]>(clock, LOGIN_MS);
  const outcomes = createExpiring<Outcome>(clock, LOGIN_MS);
  const offers = createOffers(parts);
  const serial = serialByKey();
  const addressOf = (kind: string) => `${parts.config.publicUrl}/apps/${kind}/login`;
  return {
    canLogIn: (kind) => appAt(parts, kind) !== undefined,
    begin(visit, kind) {
      const app = appAt(parts, kind);
      if (!app) return undefined;
      const [state, now] = [newSecret(), clock.monotonic()];
      const earlier = begun.get(keyOf(visit, kind))?.filter(({ until }) => until > now) ?? [];
      const all = [...earlier, { stateHash: fingerprint(state), until: now + LOGIN_MS }];
      begun.set(keyOf(visit, kind), all.slice(-MAX_BEGUN));
      return app.login.authorizeUrl({ redirectUrl: addressOf(kind), state }, app.server);
    },
    async comeBack(kind, query, visits) {
      const stateHash = fingerprint(query.state ?? "");
      for (const visit of visits) {
        const own = begun.get(keyOf(visit, kind))?.find((each) => sameSecret(stateHash, each.stateHash));
        if (!own || own.until <= clock.monotonic()) continue;
        own.back ??= ask(parts, kind, query, addressOf(kind)).then((outcome) =>
          outcomes.set(keyOf(visit, kind), outcome),
        );
        await own.back;
        return visit;
      }
      return undefined;
    },
    async outcome(visit, kind) {
      const outcome = outcomes.get(keyOf(visit, kind));
      return outcome && "choices" in outcome ? { choices: await offers.shown(visit.account, outcome) } : outcome;
    },
    connect: (visit, kind, chosen) =>
      serial(keyOf(visit, kind), async () => {
        const offer = outcomes.get(keyOf(visit, kind));
        return offer && "choices" in offer ? offers.connect(visit.account, kind, offer, chosen) : undefined;
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
    const choices = await login.choices({ query, redirectUrl, server, call, clock }, patience());
    for (const { settings } of choices) for (const secret of parts.secretsOf(kind, settings)) log.hide(secret);
    return choices.length === 0 ? { fault: { code: "empty" } } : { choices, connected: new Set(), faults: new Map() };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    log.warn("login.failed", { kind, error: error.message });
    const isRefusal = error.verdict.type === "reject" || error.verdict.type === "reconnect";
    return { fault: { code: isRefusal ? "refused" : "away", detail: error.message } };
  }
}

/** A login that the person or the messenger has ended (RFC 6749, 4.1.2.1). */
function refusalIn({ code, error, error_description: said = "" }: Record<string, string>): LoginFault | undefined {
  if (!error || code) return undefined;
  if (error === "access_denied") return { code: "cancelled" };
  return { code: "refused", detail: cleanName(said || error).slice(0, MAX_DETAIL_LENGTH) };
}
