import type { HostedContext, HostedReceipt, SiteVisit } from "gangway-messenger/hosted";
import { type ChatId, type CustomerId, cleanName } from "gangway-messenger/ids";
import type { Note } from "gangway-messenger/port";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import { deviceOf } from "./device.ts";
import { ONE } from "./history.ts";
import { readJson, receipt } from "./reply.ts";
import type { VisitorRequest } from "./request.ts";
import { type Settings, type Utm, visitBody } from "./wire.ts";

// What agents see of a visitor on the shop's site: the last visit, of those who have written. One note each.

/** `<prefix><visitor>`. */
export const VISIT = "visit:";
export const VISIT_DAYS = 30;
/** A visit ends after this time without a sign of life, ms; usual in web analytics. */
const GAP_MS = 30 * 60_000;
/** The same page again, or a message on it, is not written sooner than this, ms. */
const REST_MS = 30_000;
const [MAX_PAGES, TITLE_LENGTH, ADDRESS_LENGTH, LANGUAGE_LENGTH] = [20, 200, 500, 35];

const short = z.string().optional();
const stored = z.object({
  ...{ beganAt: z.number(), seenAt: z.number(), count: z.number(), source: z.string() },
  utm: z.object({ source: short, medium: short, campaign: short }).optional(),
  device: z.object({ language: z.string(), browser: z.string(), os: z.string() }),
  pages: z.array(z.object({ at: z.number(), url: z.string(), title: short })),
});
type Stored = z.infer<typeof stored>;

export interface Seen {
  page?: string | null;
  title?: string | null;
  /** The address that led to the page. */
  referrer?: string | null;
  language?: string | null;
  utm?: Utm | null;
}

async function lastVisit({ notes }: Pick<HostedContext<Settings>, "notes">, visitor: string) {
  try {
    return stored.parse(JSON.parse((await notes.get(VISIT + visitor)) ?? ""));
  } catch {
    return undefined;
  }
}

/** What the CRM may know. */
export const siteVisit =
  (context: HostedContext<Settings>) =>
  async (visitor: CustomerId): Promise<SiteVisit | undefined> => {
    const known = await lastVisit(context, visitor);
    return known && { ...known, ended: context.clock.now() - known.seenAt > GAP_MS };
  };

/** The visitor looks at a page. What strangers look at, who have not written, is not kept. */
export async function takeVisit(req: VisitorRequest): Promise<HostedReceipt> {
  const seen = await readJson(req.request, visitBody);
  if ((await req.context.journal.latest(req.visitor as ChatId, ONE)).length === 0) return receipt({});
  return receipt({}, { notes: await visitNotes(req, seen) });
}

/** The note of the visit as it is now; none where it says nothing new. */
export async function visitNotes({ context, request, visitor }: VisitorRequest, seen: Seen): Promise<Note[]> {
  const url = addressOf(seen.page, request.headers.get("origin"));
  if (!url) return [];
  const now = context.clock.now();
  const known = await lastVisit(context, visitor);
  const goesOn = known && now - known.seenAt <= GAP_MS ? known : undefined;
  const last = goesOn?.pages.at(-1);
  if (goesOn && last?.url === url && now - goesOn.seenAt < REST_MS) return [];
  const title = cutText(cleanName(seen.title ?? ""), TITLE_LENGTH) || undefined;
  const visit: Stored = {
    ...(goesOn ?? begun(now, request, seen, known)),
    seenAt: now,
    pages: [...(goesOn?.pages ?? []), ...(last?.url === url ? [] : [{ at: now, url, title }])].slice(-MAX_PAGES),
  };
  return [{ key: VISIT + visitor, value: JSON.stringify(visit) }];
}

function begun(now: number, { headers }: Request, { referrer, language, utm, page }: Seen, before?: Stored) {
  const { source, medium, campaign } = utm ?? {};
  const tags = { source: source ?? undefined, medium: medium ?? undefined, campaign: campaign ?? undefined };
  const from = originOf(referrer);
  return {
    ...{ beganAt: now, count: (before?.count ?? 0) + 1, source: from === originOf(page) ? "" : from },
    utm: source || medium || campaign ? tags : undefined,
    device: {
      ...deviceOf(headers.get("user-agent") ?? ""),
      language: cutText(cleanName(language ?? headers.get("accept-language")?.split(",")[0] ?? ""), LANGUAGE_LENGTH),
    },
  };
}

const isWeb = (address: string | null | undefined): address is string =>
  Boolean(address && /^https?:/.test(address) && URL.canParse(address));

/**
 * Without query and fragment, which may hold what nobody needs to see. Of the asking page's site only: agents get no links
 * to others.
 */
function addressOf(page: string | null | undefined, from: string | null): string | undefined {
  if (!isWeb(page)) return undefined;
  const { origin, pathname } = new URL(page);
  if (from && from !== "null" && from !== origin) return undefined;
  return origin.length + pathname.length <= ADDRESS_LENGTH ? origin + pathname : undefined;
}

const originOf = (address: string | null | undefined) =>
  isWeb(address) && address.length <= 2 * ADDRESS_LENGTH ? new URL(address).origin : "";
