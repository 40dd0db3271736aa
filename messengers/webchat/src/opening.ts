import type { HostedContext, HostedReceipt } from "gangway-messenger/hosted";
import { type ChatId, type CustomerId, fingerprint } from "gangway-messenger/ids";
import type { Notes } from "gangway-messenger/port";
import { historyPage, ONE } from "./history.ts";
import { presenceAt } from "./hours.ts";
import { checkRate, Refusal, readJson, receipt } from "./reply.ts";
import type { VisitorRequest, WidgetRequest } from "./request.ts";
import { isSigned, serialOf, TOKEN_DAYS, type Visitors } from "./visitor.ts";
import { type Entry, FILE_BYTES, IMAGE_BYTES, MAX_FILES, openBody, type Settings, TEXT_LENGTH } from "./wire.ts";

type Context = HostedContext<Settings>;

/** How long a browser may show old settings, s. */
const APPEARANCE_S = 60;

/** What any page may know of the channel before somebody opens the chat. Needs no visitor. */
export function appearance({ context }: WidgetRequest): HostedReceipt {
  const shown = receipt(appearanceOf(context.settings, context.clock.now()));
  shown.reply.headers.set("cache-control", `public, max-age=${APPEARANCE_S}`);
  return shown;
}

function appearanceOf(settings: Settings, now: number) {
  const { title, greeting, accent, language, starters } = settings;
  const { replyMinutes, askAfterMinutes, greetAfter, greetWhom, greetPages } = settings;
  const asked = { name: settings.askName, email: settings.askEmail, phone: settings.askPhone };
  return {
    ...{ title, greeting, accent, language, starters },
    ...{ replyMinutes, askAfterMinutes, greetAfter, greetWhom, greetPages },
    logo: settings.logoAddress,
    scheme: settings.colourScheme,
    side: settings.windowSide,
    launcher: settings.launcherText,
    away: settings.awayText,
    consent: settings.consentText,
    offset: [settings.offsetX, settings.offsetY],
    asks: Object.entries(asked).flatMap(([name, isAsked]) => (isAsked ? [name] : [])),
    ...presenceAt(settings.openingHours, settings.openingZone, now),
  };
}

/** The visitor of a genuine token that has not ended. */
export async function visitorOf(
  visitors: Visitors,
  { notes }: Pick<Context, "notes">,
  token: string,
): Promise<string | undefined> {
  const visitor = visitors.verify(token);
  if (!visitor) return undefined;
  return (await hasEnded(notes, token)) ? undefined : visitor;
}

/** Notes that record ended tokens. They outlast the tokens, also when the chat is erased, and name nobody. */
export const ENDED = "ended:";
/** Doubled, since a token without a day may be accepted for longer than a year. */
export const ENDED_DAYS = 2 * TOKEN_DAYS;
const endKey = (token: string) => ENDED + fingerprint(serialOf(token));
export const hasEnded = async (notes: Notes, token: string): Promise<boolean> =>
  (await notes.get(endKey(token))) !== undefined;

/** A page of the chat; with a new token if the given one is invalid, or another customer's. */
export async function open({ context, visitors, limits: { byVisitor }, request }: WidgetRequest) {
  const body = await readJson(request, openBody);
  const known = body.visitor ? await visitorOf(visitors, context, body.visitor) : undefined;
  const user = body.user ? visitors.ofUser(body.user.id, body.user.signature) : undefined;
  if (body.user && !user) throw new Refusal(400, "The signature of this customer is not right", "user.signature");
  const visitor = user ?? known;
  if (visitor) checkRate(byVisitor(visitor));
  const token = known === visitor && body.visitor ? visitors.renewed(body.visitor) : undefined;
  const page = visitor ? await historyPage(context.journal, visitor as ChatId) : { history: [], cursor: 0 };
  const { title, greeting, accent, language } = context.settings;
  const limits = { text: TEXT_LENGTH, files: MAX_FILES, image: IMAGE_BYTES, file: FILE_BYTES };
  const kept = token && visitor ? token : user ? visitors.signedToken(user) : visitors.newToken(visitor);
  return receipt({ visitor: kept, language, title, greeting, accent, limits, ...page });
}

/** The number of agents' messages after a time, at most as many as a page holds, and the newest. */
export async function unread({ context, request, visitor }: VisitorRequest): Promise<HostedReceipt> {
  const after = Number(new URL(request.url).searchParams.get("after") ?? 0);
  const { history } = await historyPage(context.journal, visitor as ChatId);
  const deleted = new Set(history.flatMap((entry) => (entry.type === "deleted" ? [entry.id] : [])));
  const isNew = (entry: Entry) =>
    entry.type === "message" && entry.from === "agent" && entry.at > after && !deleted.has(entry.id);
  return receipt({ unread: history.filter(isNew).length });
}

export const endOf = (token: string): Entry => ({ type: "ended", id: serialOf(token) });

/** Ends the token. That of an unknown visitor whose chat has no entries protects nothing, and leaves no trace. */
export async function logout({ context: { journal }, visitor, token }: VisitorRequest): Promise<HostedReceipt> {
  const chat = visitor as ChatId;
  if (!isSigned(token) && (await journal.latest(chat, ONE)).length === 0) return receipt({});
  // The entry wakes the chat's streams.
  const journaled = { chat, key: endKey(token), entry: endOf(token) };
  return receipt({}, { journal: [journaled], notes: [{ key: endKey(token), value: "1" }] });
}

/** Erases the chat here: messages, files and whatever waits. The CRM keeps its own copy. */
export async function erase({ context: { journal }, visitor, limits, address }: VisitorRequest) {
  const [newest] = await journal.latest(visitor as ChatId, ONE);
  if (!newest) return receipt({});
  checkRate(limits.erasures(address));
  // The same request until there is more to erase.
  return receipt({}, { erase: { customer: visitor as CustomerId, proof: `${visitor}:${newest.position}` } });
}
