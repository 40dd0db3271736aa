import { confirmed, failedCall, foreignAnswer } from "gangway-messenger/answers";
import { type Answer, answerJson, retryAfterMs } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import { sharedCall } from "./shared.ts";
import { DEFAULT_WAIT_MS } from "./verdict.ts";
import { apiUrlOf, type Context, type Settings } from "./wire.ts";

/** A token granted by Avito, and its expiry, ms. */
export interface Grant {
  token: string;
  until: number;
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
/** A token is not used so shortly before its expiry, ms. */
const EARLY_MS = 5 * MINUTE_MS;
/** A token is renewed once less of its 24 hours is left, ms: that leaves a dozen more tries, one an hour. */
const RENEW_MS = 12 * HOUR_MS;
/** A token refused so soon after it was granted has not expired, ms. */
const YOUNG_MS = MINUTE_MS;
const TIMEOUT_MS = 15_000;

const granted = z.object({ access_token: z.string().min(8), expires_in: z.number().positive().catch(3_600) });
/** In OAuth's form (RFC 6749, 5.2) or Avito's own. */
const refused = z.union([
  z.object({ error: z.string() }),
  z.object({ error: z.object({ code: z.number(), message: z.string() }) }),
]);

type Credentials = Pick<Settings, "avitoClientId" | "avitoClientSecret">;
const printOf = ({ avitoClientId, avitoClientSecret }: Credentials) =>
  fingerprint(`${avitoClientId}:${avitoClientSecret}`);

/** As stored in the settings: a fingerprint of the credentials, the expiry, the token. */
export const keptGrant = (settings: Credentials, { token, until }: Grant): string =>
  `${printOf(settings)} ${until} ${token}`;

/** Undefined: none, or one of credentials that have been replaced since. */
export function grantIn(settings: Credentials & Pick<Settings, "avitoGrant">): Grant | undefined {
  const [print, until, token] = settings.avitoGrant.split(" ");
  return token && print === printOf(settings) ? { token, until: Number(until) } : undefined;
}

export interface Grants {
  /** The current token; requests one if there is none. Throws DeliveryError. */
  current(signal: AbortSignal): Promise<Grant>;
  /** A token to replace a refused one; the same if that is too young to have expired. */
  inPlaceOf(refused: Grant, signal: AbortSignal): Promise<Grant>;
  /** A token to replace one that another call has shown to be dead, however young. */
  afterDeath(dead: Grant, signal: AbortSignal): Promise<Grant>;
}

/** Tokens for the client's own account (OAuth, client_credentials). */
export function createGrants(context: Context): Grants {
  const { clock, settings } = context;
  // One refusal is confirmed by a second call.
  const shared = sharedCall<Grant>(context, WHAT, 2 * TIMEOUT_MS);
  let [grant, at] = [grantIn(settings), Number.NEGATIVE_INFINITY];
  const ask = (signal: AbortSignal) =>
    shared(async (long) => {
      grant = await askGrant(context, long);
      at = clock.now();
      return grant;
    }, signal);
  return {
    async current(signal) {
      signal.throwIfAborted();
      return grant && clock.now() < grant.until - EARLY_MS ? grant : ask(signal);
    },
    async inPlaceOf(old, signal) {
      if (grant && grant.token !== old.token) return grant;
      const age = clock.now() - at;
      return grant && age >= 0 && age < YOUNG_MS ? grant : ask(signal);
    },
    afterDeath: async (old, signal) => (grant && grant.token !== old.token ? grant : ask(signal)),
  };
}

/** Renews the token before it expires. It is stored with the settings, for every session of the channel. */
export const renewing =
  (context: Context): NonNullable<ChannelSession["renew"]> =>
  async (signal) => {
    const { settings, clock } = context;
    const grant = grantIn(settings);
    if (grant && clock.now() < grant.until - RENEW_MS) return undefined;
    return { ...settings, avitoGrant: keptGrant(settings, await askGrant(context, signal)) };
  };

/** One refusal proves nothing: the credentials are dead when a second call also says so. */
const askGrant = (context: Context, signal: AbortSignal): Promise<Grant> =>
  confirmed(() => askOnce(context, signal), {
    probe: () => askOnce(context, signal),
    otherwise: () => new DeliveryError({ type: "retry" }, "Avito refused the credentials once"),
    signal,
  });

async function askOnce(context: Context, signal: AbortSignal): Promise<Grant> {
  const { call, clock, settings } = context;
  const form = {
    grant_type: "client_credentials",
    client_id: settings.avitoClientId,
    client_secret: settings.avitoClientSecret,
  };
  const answer = await call({
    method: "POST",
    url: `${apiUrlOf(context)}/token`,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (answer.type === "failure") throw failedCall("Avito", answer, WHAT, true);
  const found = answer.status < 300 ? granted.safeParse(answerJson(answer)).data : undefined;
  if (found) return { token: found.access_token, until: clock.now() + found.expires_in * 1_000 };
  throw refusalIn(answer, clock.now());
}

const WHAT = "a token";
export const BAD_CREDENTIALS = "Avito does not accept this Client_id and Client_secret. Copy both again from Avito";

function refusalIn(answer: Answer, now: number): DeliveryError {
  const { status } = answer;
  if (!refused.safeParse(answerJson(answer)).success) return foreignAnswer("Avito", status, WHAT, true);
  if (status === 429) {
    const afterMs = retryAfterMs(answer, now) ?? DEFAULT_WAIT_MS;
    return new DeliveryError({ type: "retry", afterMs }, "Avito asks to slow down");
  }
  if (status >= 500) return new DeliveryError({ type: "retry" }, `Avito: status ${status} (${WHAT})`);
  return new DeliveryError({ type: "reconnect" }, BAD_CREDENTIALS);
}
