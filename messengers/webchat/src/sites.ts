import type { Clock } from "gangway-messenger/clock";
import type { SeenSite } from "gangway-messenger/hosted";
import type { Notes } from "gangway-messenger/port";
import * as z from "zod";

/** The note that keeps the sites. */
export const SITES = "seen-on";
/** Most sites that are allowed, and most that are refused: the newest. */
const MAX_SITES = 10;
/** A site is noted again after this, ms. */
const EVERY_MS = 3_600_000;
/** Between two writes, ms: anybody may send any `Origin`. A site that comes too soon is noted with its next page view. */
const REST_MS = 5_000;
const MAX_KNOWN = 100;
const MAX_ORIGIN_LENGTH = 255;

const sites = z.array(z.object({ origin: z.string(), at: z.number(), refused: z.boolean() }));

/** Reads the note; what is not a list of sites is none. */
export function sitesIn(note: string | undefined): SeenSite[] {
  try {
    return sites.parse(JSON.parse(note ?? "[]"));
  } catch {
    return [];
  }
}

/** Notes the sites on which the window is opened, or refused. Never rejects; what cannot be noted comes with the next page view. */
export function createSiteNotes(notes: Notes, clock: Clock) {
  const noted = new Map<string, number>();
  let restUntil = Number.NEGATIVE_INFINITY;
  return async (origin: string | null, refused: boolean): Promise<void> => {
    const now = clock.monotonic();
    if (
      !isOrigin(origin) ||
      now < restUntil ||
      now < (noted.get(`${origin} ${refused}`) ?? Number.NEGATIVE_INFINITY) + EVERY_MS
    )
      return;
    restUntil = now + REST_MS;
    if (noted.size >= MAX_KNOWN) noted.clear();
    noted.set(`${origin} ${refused}`, now);
    try {
      const before = sitesIn(await notes.get(SITES)).filter((site) => site.origin !== origin);
      const all = [{ origin, at: clock.now(), refused }, ...before];
      const kept = [false, true].flatMap((kind) => all.filter((site) => site.refused === kind).slice(0, MAX_SITES));
      await notes.set([{ key: SITES, value: JSON.stringify(kept) }]);
    } catch {
      noted.clear();
    }
  };
}

const isOrigin = (origin: string | null): origin is string =>
  origin !== null && origin.length <= MAX_ORIGIN_LENGTH && URL.canParse(origin) && new URL(origin).origin === origin;
