import { DeliveryError } from "gangway-messenger/errors";
import { fingerprint } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import { graphClient } from "gangway-meta/graph";
import * as z from "zod";
import { graphOptions } from "./api.ts";
import type { Context } from "./server.ts";
import type { Settings } from "./wire.ts";

const DAY_MS = 86_400_000;
/** Lifetime of a token, and the age at which it is renewed: a week leaves seven more tries. */
const LIFE_MS = 60 * DAY_MS;
const RENEW_AFTER_MS = 7 * DAY_MS;

const renewed = z.object({ access_token: z.string().min(20), expires_in: z.number().nullish() });

export const issuedNow = (token: string, now: number): string => `${fingerprint(token)} ${now}`;

/** When this token was issued, as far as it is known: somebody may have pasted another since. */
export function issuedAt({ token, issued }: Pick<Settings, "token" | "issued">): number | undefined {
  const [print, at] = issued.split(" ");
  return print === fingerprint(token) && at ? Number(at) : undefined;
}

export function expiryOf(settings: Pick<Settings, "token" | "issued">): number | undefined {
  const at = issuedAt(settings);
  return at === undefined ? undefined : at + LIFE_MS;
}

/** Renews the token every week: one that has expired cannot be renewed. */
export const renewing =
  (context: Context): NonNullable<ChannelSession["renew"]> =>
  async (signal) => {
    const { settings, clock, server } = context;
    const now = clock.now();
    const at = issuedAt(settings);
    if (at !== undefined && now - at < RENEW_AFTER_MS) return undefined;
    const bare = graphClient({ ...graphOptions(context), baseUrl: server.META_INSTAGRAM_URL });
    const query = { grant_type: "ig_refresh_token", access_token: settings.token };
    const request = { method: "GET", path: "refresh_access_token", query, result: renewed } as const;
    try {
      const { access_token: token } = await bare.call({ ...request, what: "the renewal of the token" }, signal);
      return { ...settings, token, issued: issuedNow(token, now) };
    } catch (error) {
      // A token younger than a day cannot be renewed yet; its age is known from now on.
      const isYoung = error instanceof DeliveryError && error.verdict.type === "reject";
      if (!isYoung || at !== undefined) throw error;
      return { ...settings, issued: issuedNow(settings.token, now) };
    }
  };
