import type { FieldWords } from "gangway-messenger/features";
import type { Schema } from "gangway-messenger/form";
import type { InLanguages } from "gangway-messenger/language";
import type { Brand } from "../domain/vendor.ts";
import type { Strings } from "./i18n/strings.ts";

export type { Strings };

/** Who does what the history shows. */
type Actor = "account user" | "operator" | "crm" | "customer";

/** What every page has around its content. */
export interface Frame {
  t: Strings;
  moduleName: string;
  brand?: Brand;
  /** Of this page, to return to after a choice of language. */
  path: string;
  /** Path of the account's own page; all its others are below it. */
  home: string;
  /** The CRM of the account whose page this is. */
  crm?: string;
  /** Of the account whose page this is; absent: UTC. */
  timeZone?: string;
  /** Of an account that is open: how many messages were not delivered, and what signs out. */
  visit?: { ended: { dead: number; held: number }; formToken: string };
  /** Of the vendor's support, which may only look: when the visit ends, ms. */
  supportUntil?: number;
  /** Of a page with figures: the event stream that tells of changes. */
  live?: string;
}

/** What a part of an account's page needs of its frame. */
export type PartFrame = Pick<Frame, "t" | "home">;

/** Why a form was refused; the i18n strings explain each code. */
export interface Fault {
  code: string;
  detail?: string;
  missing?: string[];
  /** For `setting`: the field, and the adapter's message or the broken rule. */
  field?: string;
  message?: string;
  rule?: string;
  limit?: number;
}

/** Policy for messages that may have arrived. */
export type Unsure = "resend" | "hold";

/** Labels and hints of the schema's fields. */
type Words = InLanguages<Record<string, FieldWords>>;

/** A messenger's name: a brand's, or one in each language. */
export type Title = string | InLanguages<string>;

/** How a messenger is; times in ms. */
export interface HealthProps {
  word: "stopped" | "paused" | "failing" | "troubled" | "off" | "slow" | "quiet" | "new" | "working";
  /** Of the messages that ended lately; absent when few failed. */
  failing?: { failed: number; ended: number; since: number };
  waitsSince?: number;
  quietSince?: number;
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** Two weeks, today last. */
  days: { day: string; delivered: number; failed: number }[];
}

/** A messenger's sign: white lines (path data, 24 × 24) on its colour, `#rrggbb`. */
export interface GlyphProps {
  color: string;
  path: string;
}

export interface ChannelProps {
  channel: {
    id: string;
    kind: string;
    name: string;
    state: string;
    /** Why the vendor has paused it. */
    pauseReason?: string;
    trouble?: string;
    troubleAt?: number;
    settings: unknown;
  };
  title: Title;
  glyph?: GlyphProps;
  unsure?: Unsure;
  counts: { waiting: number; done: number; dead: number; held: number };
  health: HealthProps;
  /** Events missing in the ledger's balance; 0 when all is well. */
  hole: number;
  /** Up to when what came is compared with the messenger's list, what only that brought, and the last gap in it; times in ms. */
  compared?: { upTo: number; recovered: number; isBehind: boolean; gap?: { from: number; to: number } };
  /** What was imported of the days before the connection, and from when on all of it is there; times in ms. */
  past?: { days: number; count: number; from?: number; completeFrom?: number; ended?: number };
  /** `design`: HTML that shows it as a form in the element `design` has it. */
  snippet?: { line: string; words: InLanguages<FieldWords>; design?: string };
  /** What its owner has to do at the messenger. */
  afterwards?: InLanguages<FieldWords>;
  /** Where customers write to it. */
  link?: string;
  /** How to write to it, where opening the link is not enough. */
  tryOut?: InLanguages<string>;
  /** Its customer can be played. */
  standIn?: true;
  /** Sites with its snippet; absent when it has none. */
  sites?: { origin: string; at: number; refused: boolean }[];
  /** Absent when it has none. */
  templates?: TemplatesProps;
  schema: Schema;
  words: Words;
  /** Why the vendor has paused the whole account. */
  accountPause?: string;
  /** Its sealed settings do not decrypt. */
  unreadable?: true;
  standing?: StandingProps;
  /** A login at the messenger renews its credentials. */
  login?: true;
}

/** A channel's templates as the messenger has them; times in ms. */
export interface TemplatesProps {
  rows: {
    name: string;
    language: string;
    category: string;
    status: keyof Strings["templates"]["states"];
    quality?: keyof Strings["templates"]["qualities"];
    rejection?: keyof Strings["templates"]["rejections"];
    /** Why agents cannot send it, in the page's language. */
    unusable?: string;
  }[];
  /** How many are not listed. */
  more: number;
  /** Of the last synchronisation that succeeded. */
  at?: number;
  failed?: { at: number; error: string };
}

/** What a messenger said last of a login, in the page's language; `at` in ms. */
export interface StandingProps {
  at: number;
  facts: { name: string; value: string; isBad?: true }[];
}

/** A kind of messenger that can be added. */
export interface KindProps {
  kind: string;
  title: Title;
  glyph?: GlyphProps;
  about?: InLanguages<string>;
  /** The form's heading, where it is not made of the title. */
  adding?: InLanguages<string>;
  schema: Schema;
  words: Words;
  unsure?: Unsure;
  /** What was written before it is connected can be imported. */
  listsPast?: true;
  abilities: Ability[];
  /** An entry of its own, with these settings chosen. */
  variant?: { name: string; settings: Record<string, unknown> };
  /** It can be connected by a login at the messenger. */
  login?: true;
  /** Whose login it is, where it does not bear the messenger's title. */
  loginTitle?: Title;
}
export type Ability = keyof Strings["abilities"];

/** A refused form: the fault and the input. */
export interface Problem {
  fault: Fault;
  typed: URLSearchParams;
}

export const titleIn = ({ language }: Strings, title: Title): string =>
  typeof title === "string" ? title : title[language];

export interface AccountProps {
  /** Now, ms. */
  now: number;
  crmUrl: string;
  keyEnd: string;
  state: "working" | "off" | "frozen";
  /** Why the vendor has paused it. */
  pauseReason?: string;
  trouble?: string;
  channels: ChannelProps[];
  kinds: KindProps[];
}

/** What came of a login at a messenger. */
export type OutcomeProps = { fault: Fault; choices?: undefined } | { choices: OfferedProps[]; fault?: undefined };

/** One of what can be connected after a login. */
export interface OfferedProps {
  login: string;
  name: string;
  about?: string;
  /** The account's channel with that login. */
  channel?: { id: string; name: string; state: string };
  /** It has just been connected. */
  done?: true;
  /** Why it was not. */
  fault?: Fault;
}

/** A list of undelivered messages. */
export interface UndeliveredProps {
  filter: { state: "dead" | "held"; channelId?: string; code?: string };
  /** `channelName` is empty when the channel was removed. `isPlain`: the error is in the reader's words. */
  rows: {
    id: number;
    direction: string;
    state: "dead" | "held";
    code: string;
    error: string;
    isPlain?: boolean;
    at: number;
    channelName: string;
    chat?: string;
    customer?: string;
    words?: string;
  }[];
  /** Where the next page starts. */
  next?: number;
  /** How many fit the filter. */
  fitting: number;
  /** When that was read, ms. */
  readAt: number;
  /** By reason and channel, most first. */
  groups: { code: string; channelId: string; channelName: string; count: number }[];
}

/** A customer who was found; `channelName` is empty when the channel was removed. */
export interface FoundProps {
  channelId: string;
  channelName: string;
  chat: string;
  customer?: string;
  name?: string;
  count: number;
  lastAt: number;
  words?: string;
}

/** What was erased, and when; the times of earlier backups, ms. */
export interface ReceiptProps {
  messages: number;
  files: number;
  webhooks: number;
  notes: number;
  gone: boolean;
  at: number;
  backups: number[];
}

/** A message that was found; `channelName` is empty when the channel was removed. */
export interface FoundMessageProps {
  id: number;
  channelName: string;
  chat?: string;
  customer?: string;
  direction: "inbound" | "outbound";
  state: keyof Strings["stories"]["states"];
  words?: string;
  at: number;
}

/** What happened to a message; times in ms. */
export interface StoryProps extends FoundMessageProps {
  /** What was in it is not kept any more. */
  isEmptied?: true;
  /** False of a reaction and the like: nobody decides on it. */
  isMessage: boolean;
  gatewayMessageId?: string;
  messengerMessageId?: string;
  parts: number;
  attempts: number;
  tries: { at: number; error: string }[];
  endedAt?: number;
  nextAt?: number;
  /** Of one that the messenger had accepted: when it failed all the same. */
  lateAt?: number;
  /** For answers in its chat. */
  window?: { until: number; isOpen: boolean };
  code?: string;
  error?: string;
  isRestorable?: true;
  ack?: { state: keyof Strings["stories"]["acks"]; error?: string; at?: number; tries: StoryProps["tries"] };
  later: {
    at: number;
    kind: string;
    direction: "inbound" | "outbound";
    state: FoundMessageProps["state"];
    error?: string;
  }[];
  /** Until when it was read, where more came. */
  laterUntil?: number;
  acts: { at: number; actor: Actor; action: string }[];
}

/** Which parts of a connection work; the code of a fault is the CRM's, or one of the page's own. */
export type TestedProps = {
  hop: keyof Strings["testing"]["hops"];
  fault?: { code: string; detail: string };
}[];

/** A message on its way to the CRM, and its answer; times in ms. */
export interface LegProps {
  leg: keyof Strings["trace"]["legs"];
  state: keyof Strings["trace"]["states"];
  at?: number;
  fault?: { code: string; detail: string; nextAt?: number };
}

/** A test of a connection, and the message that came since; times in ms. */
export interface LiveTestProps {
  since: number;
  tested?: TestedProps;
  legs: LegProps[];
  silence?: { why: keyof Strings["trace"]["silence"] | "unreadable" | "vendor"; detail?: string; at?: number };
}

/** A channel's customer, whom an account's user plays. */
export interface RehearsalProps {
  chat: { from: "customer" | "agent"; text: string; author?: string; at: number }[];
  legs?: LegProps[];
  maxLength: number;
}

/** Who changed what, and where the account's page is open; times in ms. */
export interface HistoryProps {
  acts: {
    at: number;
    actor: Actor;
    action: string;
    channelName: string;
    browser?: string;
    count: number;
  }[];
  visits: { id: string; startedAt: number; usedAt: number; browser?: string; isThis: boolean; endsAt?: number }[];
}

/** How a message would be delivered. */
export interface PreviewProps {
  steps: { kind: string; text: string; files: string[]; buttons: string[] }[];
  losses: string[];
}
