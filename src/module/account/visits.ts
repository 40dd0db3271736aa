import { hasApp } from "gangway-messenger/apps";
import type { Clock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { Explain } from "gangway-messenger/explanations";
import type { FieldWords } from "gangway-messenger/features";
import { type HostedAdapter, isHosted, type SeenSite } from "gangway-messenger/hosted";
import type { ChannelId } from "gangway-messenger/ids";
import type { InLanguages, Language } from "gangway-messenger/language";
import type { ChannelAdapter, Variant } from "gangway-messenger/port";
import * as z from "zod";
import type { Config } from "../../config.ts";
import { type Account, activityOf, type LedgerRow, works } from "../../domain/account.ts";
import { type Channel, notInstalled, shownState, type UnsurePolicy } from "../../domain/channel.ts";
import type { AccountId } from "../../domain/ids.ts";
import { readTemplates, type TemplateList } from "../../relay/sessions/sessions.ts";
import type { ChannelTraffic } from "../../store/accounts.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";
import { type Ability, abilitiesBy, abilitiesOf } from "../channels/abilities.ts";
import { type Compared, readCompared } from "../health/compared-note.ts";
import { calendarOf, type Health, healthOf } from "../health/health.ts";
import { type Past, readPast } from "../health/past-note.ts";
import { type KnownStanding, readStanding } from "../health/standing-note.ts";
import { type Preview, preview, type Sketch } from "../messages/preview.ts";

/** Visits (web sessions) to the account page, and their actions. */
export interface Visits {
  /** Starts a visit by the client id that the CRM sends; resolves with the cookie's token. */
  enter(clientId: string, browser?: string): Promise<string | undefined>;
  enterAs(accountId: AccountId, browser?: string): Promise<string>;
  /** Redeems a support link (module/vendor/support.ts); resolves with the account and the cookie's token. */
  enterBy(link: string): Promise<{ accountId: AccountId; token: string } | undefined>;
  /** `isUse` false does not extend the visit. */
  byToken(token: string, isUse?: boolean): Promise<Visit | undefined>;
  leave(token: string): Promise<void>;
  /** All available messengers, connected or not. */
  kinds: KindView[];
  /** Summarizes the account itself, without its channels. */
  summary(account: Account): AccountSummary;
  /** Errors and troubles are explained in this language. */
  view(account: Account, language: Language): Promise<AccountView>;
  /** Undefined if the account has no such channel. */
  channel(account: Account, id: ChannelId, language: Language): Promise<ChannelView | undefined>;
  explain: Explain;
  /** Previews a message in this channel; undefined if the account has no such channel. */
  preview(account: Account, id: ChannelId, sketch: Sketch, language: Language): Promise<Previewed | undefined>;
}
export interface Previewed {
  channel: Pick<Channel, "id" | "name">;
  preview: Preview;
}

export interface Visit {
  account: Account;
  /** Identifies the visit within the account. */
  id: string;
  formToken: string;
  /** The browser's common name. */
  browser?: string;
  /** Only for visits of the vendor's support, which are read-only: when the visit ends, ms. */
  endsAt?: number;
}

/** The key's last four characters are the only part of a secret here. */
export interface AccountSummary {
  crmUrl: string;
  keyEnd: string;
  state: "working" | "off" | "frozen";
  /** Why the vendor has paused the account; independent of the CRM's state. */
  pauseReason?: string;
}
/** Content of the account page. */
export interface AccountView extends AccountSummary {
  /** Now, ms. */
  now: number;
  trouble?: string;
  channels: ChannelView[];
  kinds: KindView[];
}
export interface KindView extends Pick<ChannelAdapter, "kind" | "words" | "about" | "adding" | "glyph"> {
  title: string | InLanguages<string>;
  schema: ChannelAdapter["settings"];
  unsure?: UnsurePolicy;
  /** Messages from before the connection can be imported. */
  listsPast?: true;
  abilities: Ability[];
  /** The variant, listed as an entry of its own with these settings preset. */
  variant?: Pick<Variant, "name" | "settings">;
  /** Can be connected by a login at the messenger. */
  login?: true;
  /** The login's title, if it differs from the messenger's. */
  loginTitle?: string | InLanguages<string>;
}
export type Counts = Record<"waiting" | "done" | "dead" | "held", number>;
export interface ChannelView {
  channel: Pick<Channel, "id" | "kind" | "name" | "state" | "pauseReason" | "trouble" | "troubleAt" | "settings">;
  title: string | InLanguages<string>;
  glyph?: ChannelAdapter["glyph"];
  /** Absent if the messenger deduplicates sends. */
  unsure?: UnsurePolicy;
  counts: Counts;
  health: Health;
  /** Events missing in the ledger's balance; must be 0. */
  hole: number;
  snippet?: { line: string; words: InLanguages<FieldWords>; design?: string };
  /** What the channel's owner has to do at the messenger. */
  afterwards?: InLanguages<FieldWords>;
  /** Link by which customers start a chat. */
  link?: string;
  /** How to write to the channel, if opening the link is not enough. */
  tryOut?: InLanguages<string>;
  /** Users can play this channel's customer (module/messages/rehearsals.ts). */
  standIn?: true;
  /** Sites that embed the snippet; only in `channel`, not in lists. */
  sites?: SeenSite[];
  /** Templates from the last sync; only in `channel`, not in lists. */
  templates?: TemplatesView;
  schema: ChannelAdapter["settings"];
  words: ChannelAdapter["words"];
  /** The sealed values do not decrypt, for example after the loss of a key: the channel can only be removed. */
  unreadable?: true;
  /** How far the channel is compared with the messenger's list, and what only the list brought; times in ms. */
  compared?: { upTo: number; recovered: number; isBehind: boolean; gap?: { from: number; to: number } };
  /** State of the import of earlier messages; times in ms. */
  past?: Past;
  /** The login's standing as the messenger last reported it, in the reader's language. */
  standing?: { at: number; facts: { name: string; value: string; isBad?: true }[] };
  /** Credentials can be renewed by a login at the messenger. */
  login?: true;
  /** Why the vendor has paused the whole account. */
  accountPause?: string;
}

/** `at`: when the list was last read; `failed`: when and why the last sync failed, if it did. */
export interface TemplatesView extends Pick<TemplateList, "at" | "failed" | "more"> {
  rows: TemplateList["templates"];
}

export interface VisitParts {
  store: Pick<Store, "accounts" | "channels" | "ledger" | "notes" | "traffic" | "webSessions">;
  clock: Clock;
  adapters: ChannelAdapter[];
  config: Pick<Config, "publicUrl" | "markup">;
  explain: Explain;
  /** Whether a kind can be connected by a login. */
  canLogIn(kind: string): boolean;
  /** Asks the CRM for the account's language. Never rejects. */
  learn(account: Account): Promise<void>;
}

export function createVisits(parts: VisitParts): Visits {
  const { store } = parts;
  const kinds = parts.adapters.flatMap((adapter) => kindsOf(adapter, parts));
  return {
    kinds,
    async enter(clientId, browser) {
      const account = await store.accounts.byClientId(clientId);
      const learned = account && parts.learn(account);
      if (!account?.language) await learned;
      return account && store.webSessions.start(account.id, browser);
    },
    enterAs: (accountId, browser) => store.webSessions.start(accountId, browser),
    enterBy: (link) => store.webSessions.redeem(link, { actor: "operator", action: "account opened by support" }),
    async byToken(token, isUse) {
      const session = await store.webSessions.byToken(token, isUse);
      const account = session && (await store.accounts.byId(session.accountId));
      if (!account || !session) return undefined;
      const { id, formToken, browser, endsAt } = session;
      return { account, id, formToken, browser, endsAt };
    },
    leave: (token) => store.webSessions.end(token),
    summary,
    async view(account, language) {
      const channels = await store.channels.list(account.id);
      return {
        now: parts.clock.now(),
        ...summary(account),
        trouble: account.trouble && parts.explain(account.trouble, language),
        channels: await viewsOf(parts, account, channels, language),
        kinds,
      };
    },
    async channel(account, id, language) {
      const channel = await store.channels.byId(account.id, id);
      const [view] = channel ? await viewsOf(parts, account, [channel], language) : [];
      const adapter = parts.adapters.find(({ kind }) => kind === view?.channel.kind);
      if (!channel || !view || !adapter) return view;
      const seen = isHosted(adapter) ? adapter.seen : undefined;
      const sites = seen && { sites: seen.read(await store.notes.get(id, seen.note)) };
      return { ...view, ...sites, ...(await templatesOf(parts, adapter, channel, language)) };
    },
    explain: parts.explain,
    async preview(account, id, sketch, language) {
      const channel = await store.channels.byId(account.id, id);
      const adapter = channel && parts.adapters.find(({ kind }) => kind === channel.kind);
      if (!channel || !adapter || !unsealed(channel)) return undefined;
      return { channel, preview: preview(adapter, channel, sketch, parts.config.markup, language) };
    },
  };
}

const summary = (account: Account): AccountSummary => ({
  crmUrl: account.crmUrl,
  keyEnd: account.apiKey.slice(-4),
  state: activityOf(account),
  pauseReason: account.pauseReason,
});

/** Stands in for a messenger whose package is not installed: its channels can be viewed and removed. */
function absent(kind: string): ChannelAdapter {
  const unavailable = () => {
    throw new DeliveryError({ type: "retry" }, notInstalled(kind));
  };
  return {
    ...{ kind, title: kind, settings: z.looseObject({}), words: { en: {}, es: {}, ru: {} }, sendIdempotency: "native" },
    pace: { perSecond: 1, perChat: unavailable },
    ...{ features: unavailable, capabilities: unavailable, bodyLimit: unavailable, open: unavailable },
  };
}

async function templatesOf(
  { store, explain }: VisitParts,
  adapter: ChannelAdapter,
  channel: Channel,
  language: Language,
): Promise<Pick<ChannelView, "templates">> {
  const settings = adapter.settings.safeParse(unsealed(channel)?.settings);
  if (!settings.success || !adapter.features(settings.data).templates) return {};
  const { at, failed, more, templates } = await readTemplates(store.notes, channel.id);
  const rows = templates.map((row) => ({ ...row, unusable: row.unusable && explain(row.unusable, language) }));
  return { templates: { at, more, rows, failed: failed && { at: failed.at, error: explain(failed.error, language) } } };
}

/** The channel's sealed values; undefined when they do not decrypt. */
const unsealed = (channel: Channel) => ifOpens(() => ({ door: channel.door, settings: channel.settings }));

/** Counts messages only, not other events. */
const countsOf = (row: LedgerRow | undefined, flow: ChannelTraffic | undefined): Counts => ({
  waiting: row?.messages.waiting ?? 0,
  done: flow?.delivered ?? 0,
  dead: flow?.refused ?? 0,
  held: row?.messages.held ?? 0,
});

const canBeUnsure = (adapter: ChannelAdapter) =>
  adapter.sendIdempotency !== "native" || adapter.idempotencyMs !== undefined;

const kindOf = (adapter: ChannelAdapter, { canLogIn }: Pick<VisitParts, "canLogIn">): KindView => ({
  kind: adapter.kind,
  title: adapter.titles ?? adapter.title,
  glyph: adapter.glyph,
  about: adapter.about,
  adding: adapter.adding,
  schema: adapter.settings,
  words: adapter.words,
  unsure: canBeUnsure(adapter) ? "resend" : undefined,
  listsPast: adapter.listsPast,
  abilities: abilitiesOf(adapter),
  ...(canLogIn(adapter.kind) && {
    login: true as const,
    ...(hasApp(adapter) && { loginTitle: adapter.app.login.title }),
  }),
});

function wordsOf({ words }: ChannelAdapter, { words: own }: Variant): ChannelAdapter["words"] {
  const { en, es, ru } = words;
  return { en: { ...en, ...own?.en }, es: { ...es, ...own?.es }, ru: { ...ru, ...own?.ru } };
}

/** The kind itself first, then its variants. */
function kindsOf(adapter: ChannelAdapter, parts: Pick<VisitParts, "canLogIn">): KindView[] {
  const plain = kindOf(adapter, parts);
  const variants = (adapter.variants ?? []).map((variant) => ({
    ...plain,
    ...{
      title: variant.title,
      about: variant.about,
      adding: undefined,
      abilities: abilitiesBy(adapter, variant),
      variant,
    },
    words: wordsOf(adapter, variant),
  }));
  return [plain, ...variants];
}

/** A comparison that is older than this is behind, ms. */
const BEHIND_MS = 15 * 60_000;

/** `now`: 0 while the channel is not compared, so that it never counts as behind. */
function comparedIn(
  known: Compared | undefined,
  row: LedgerRow | undefined,
  now: number,
): Pick<ChannelView, "compared"> {
  if (!known) return {};
  const { upTo, gap } = known;
  return { compared: { upTo, recovered: row?.recovered ?? 0, isBehind: upTo < now - BEHIND_MS, gap } };
}

function standingIn(language: Language, known: KnownStanding | undefined): Pick<ChannelView, "standing"> {
  if (!known) return {};
  const inWords = (text: InLanguages<string> | string) => (typeof text === "string" ? text : text[language]);
  const facts = known.facts.map(({ name, value, isBad }) => ({ name: name[language], value: inWords(value), isBad }));
  return { standing: { at: known.at, facts } };
}

async function viewsOf(
  { store, clock, adapters, config, explain, canLogIn }: VisitParts,
  account: Account,
  channels: Channel[],
  language: Language,
): Promise<ChannelView[]> {
  const [ledger, traffic] = await Promise.all([store.ledger(account.id), store.traffic.of(account.id)]);
  const rows = new Map(ledger.map((row) => [row.channelId, row]));
  const flows = new Map(traffic.map((flow) => [flow.channelId, flow]));
  const keptOf = async ({ id }: Channel) => {
    const { notes } = store;
    const read = [readStanding(notes, id), readCompared(notes, id), readPast(notes, id)] as const;
    const [standing, compared, past] = await Promise.all(read);
    return [id, { standing, compared, past }] as const;
  };
  const kept = new Map(await Promise.all(channels.map(keptOf)));
  const now = clock.now();
  const calendar = calendarOf(account.timeZone, now);
  return channels.flatMap((channel) => {
    const adapter = adapters.find(({ kind }) => kind === channel.kind) ?? absent(channel.kind);
    const values = unsealed(channel);
    const { snippet, standIn } = isHosted(adapter) ? adapter : {};
    const { id, kind, name, pauseReason, troubleAt } = channel;
    const state = shownState(channel);
    const trouble = channel.trouble && explain(channel.trouble, language);
    return [
      {
        channel: { id, kind, name, state, pauseReason, trouble, troubleAt, settings: values?.settings },
        title: adapter.titles ?? adapter.title,
        glyph: adapter.glyph,
        unsure: canBeUnsure(adapter) ? channel.unsure : undefined,
        counts: countsOf(rows.get(id), flows.get(id)),
        health: healthOf({
          ...{ account, channel, calendar, now },
          isUnreadable: !values,
          ledger: rows.get(id),
          traffic: flows.get(id),
        }),
        hole: rows.get(id)?.hole ?? 0,
        snippet: values && snippet && snippetOf(snippet, config.publicUrl, values.door),
        afterwards:
          values && afterwardsOf(adapter, values.settings, `${config.publicUrl}/m/${values.door}`, channel.link),
        link: channel.link,
        tryOut: values && tryOutOf(adapter, values.settings),
        ...(values && standIn && { standIn: true as const }),
        schema: adapter.settings,
        words: adapter.words,
        ...comparedIn(kept.get(id)?.compared, rows.get(id), works(account) && channel.state !== "stopped" ? now : 0),
        past: kept.get(id)?.past,
        ...standingIn(language, kept.get(id)?.standing),
        accountPause: account.pauseReason,
        ...(values === undefined && { unreadable: true as const }),
        ...(values && canLogIn(kind) && { login: true as const }),
      },
    ];
  });
}

/** Id of the element that contains the design form on the preview page (pages/preview.tsx). */
const DESIGN_FORM = "design";

const snippetOf = (
  { html, words, design }: NonNullable<HostedAdapter["snippet"]>,
  publicUrl: string,
  door: string,
) => ({
  line: html(publicUrl, door),
  words,
  design: design?.(publicUrl, door, DESIGN_FORM),
});

function tryOutOf({ settings, tryOut }: ChannelAdapter, stored: unknown) {
  const parsed = settings.safeParse(stored);
  return parsed.success ? tryOut?.(parsed.data) : undefined;
}

function afterwardsOf({ settings, afterwards }: ChannelAdapter, stored: unknown, doorUrl: string, link?: string) {
  const parsed = settings.safeParse(stored);
  return parsed.success ? afterwards?.(parsed.data, doorUrl, link) : undefined;
}
