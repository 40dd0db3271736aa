import type { FieldWords } from "gangway-messenger/features";
import type { Schema } from "gangway-messenger/form";
import type { InLanguages } from "gangway-messenger/language";
import type { Brand } from "../domain/vendor.ts";
import type { Strings } from "./i18n/strings.ts";

export type { Strings };

/** Who performed an act in the history. */
type Actor = "account user" | "operator" | "crm" | "customer";

/** What every page has around its content. */
export interface Frame {
  t: Strings;
  moduleName: string;
  brand?: Brand;
  /** Path of this page, to return to after choosing a language. */
  path: string;
  /** Path of the account's page; all its other pages are below it. */
  home: string;
  /** Address of the page's account at the CRM. */
  crm?: string;
  /** The account's time zone; absent: UTC. */
  timeZone?: string;
  /** For an open account: its undelivered messages, and the token for signing out. */
  visit?: { ended: { dead: number; held: number }; formToken: string };
  /** For visits of the vendor's support, which are read-only: when the visit ends, ms. */
  supportUntil?: number;
  /** For a page with figures: address of the event stream that reports changes. */
  live?: string;
}

/** What parts of an account's page need from the frame. */
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

/** A messenger's name: a brand's, or one per language. */
export type Title = string | InLanguages<string>;

/** A channel's health; times in ms. */
export interface HealthProps {
  word: "stopped" | "paused" | "failing" | "troubled" | "off" | "slow" | "quiet" | "new" | "working";
  /** Sums of recently ended messages; absent if few failed. */
  failing?: { failed: number; ended: number; since: number };
  waitsSince?: number;
  quietSince?: number;
  lastInboundAt?: number;
  lastOutboundAt?: number;
  /** Two weeks, today last. */
  days: { day: string; delivered: number; failed: number }[];
}

/** A messenger's icon: white lines (path data, 24 × 24) on its colour, `#rrggbb`. */
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
    /** Why the vendor has paused the channel. */
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
  /** Events missing in the ledger's balance; must be 0. */
  hole: number;
  /** How far the channel is compared with the messenger's list, what only that brought, and its last gap; ms. */
  compared?: { upTo: number; recovered: number; isBehind: boolean; gap?: { from: number; to: number } };
  /** The import of earlier messages; it is complete from `completeFrom` on. Times in ms. */
  past?: { days: number; count: number; from?: number; completeFrom?: number; ended?: number };
  /** `design`: HTML of a live preview, which follows the form in the element with the id `design`. */
  snippet?: { line: string; words: InLanguages<FieldWords>; design?: string };
  /** What the channel's owner has to do at the messenger. */
  afterwards?: InLanguages<FieldWords>;
  /** Link by which customers start a chat. */
  link?: string;
  /** How to write to the channel, if opening the link is not enough. */
  tryOut?: InLanguages<string>;
  /** Users can play the channel's customer. */
  standIn?: true;
  /** Sites that embed the snippet; absent if the channel has none. */
  sites?: { origin: string; at: number; refused: boolean }[];
  /** Absent if the channel has no templates. */
  templates?: TemplatesProps;
  schema: Schema;
  words: Words;
  /** Why the vendor has paused the whole account. */
  accountPause?: string;
  /** The channel's sealed settings do not decrypt. */
  unreadable?: true;
  standing?: StandingProps;
  /** Credentials can be renewed by a login at the messenger. */
  login?: true;
}

/** A channel's templates as the messenger lists them; times in ms. */
export interface TemplatesProps {
  rows: {
    name: string;
    language: string;
    category: string;
    status: keyof Strings["templates"]["states"];
    quality?: keyof Strings["templates"]["qualities"];
    rejection?: keyof Strings["templates"]["rejections"];
    /** Why agents cannot send the template, in the page's language. */
    unusable?: string;
  }[];
  /** Number of templates that are not listed. */
  more: number;
  /** Time of the last successful sync. */
  at?: number;
  failed?: { at: number; error: string };
}

/** A login's standing as last reported by its messenger, in the page's language; `at` in ms. */
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
  /** The form's heading, if it is not derived from the title. */
  adding?: InLanguages<string>;
  schema: Schema;
  words: Words;
  unsure?: Unsure;
  /** Messages from before the connection can be imported. */
  listsPast?: true;
  abilities: Ability[];
  /** The variant, listed as an entry of its own with these settings preset. */
  variant?: { name: string; settings: Record<string, unknown> };
  /** Can be connected by a login at the messenger. */
  login?: true;
  /** The login's title, if it differs from the messenger's. */
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
  /** Why the vendor has paused the account. */
  pauseReason?: string;
  trouble?: string;
  channels: ChannelProps[];
  kinds: KindProps[];
}

/** Outcome of a login at a messenger. */
export type OutcomeProps = { fault: Fault; choices?: undefined } | { choices: OfferedProps[]; fault?: undefined };

/** A login that can be connected. */
export interface OfferedProps {
  login: string;
  name: string;
  about?: string;
  /** The account's channel with that login, if any. */
  channel?: { id: string; name: string; state: string };
  /** Whether it has just been connected. */
  done?: true;
  /** Why connecting it failed. */
  fault?: Fault;
}

/** A list of undelivered messages. */
export interface UndeliveredProps {
  filter: { state: "dead" | "held"; channelId?: string; code?: string };
  /** `channelName` is empty if the channel was removed. `isPlain`: the error is explained in the reader's language. */
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
  /** Number of messages that match the filter. */
  fitting: number;
  /** When they were counted, ms. */
  readAt: number;
  /** By reason and channel, most frequent first. */
  groups: { code: string; channelId: string; channelName: string; count: number }[];
}

/** A customer found by a search; `channelName` is empty if the channel was removed. */
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

/** A message found by a search; `channelName` is empty if the channel was removed. */
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

/** A message's history; times in ms. */
export interface StoryProps extends FoundMessageProps {
  /** The contents are no longer stored. */
  isEmptied?: true;
  /** False for reactions and the like, which allow no decision. */
  isMessage: boolean;
  gatewayMessageId?: string;
  messengerMessageId?: string;
  parts: number;
  attempts: number;
  tries: { at: number; error: string }[];
  endedAt?: number;
  nextAt?: number;
  /** When a message that the messenger had accepted failed after all. */
  lateAt?: number;
  /** Period in which agents may answer in the message's chat. */
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
  /** How far later events were read, if there are more. */
  laterUntil?: number;
  acts: { at: number; actor: Actor; action: string }[];
}

/** Result of each hop; a fault's code is the CRM's or one of the page's own. */
export type TestedProps = {
  hop: keyof Strings["testing"]["hops"];
  fault?: { code: string; detail: string };
}[];

/** A stage of a message's way to the CRM, or of its answer's way back; times in ms. */
export interface StageProps {
  stage: keyof Strings["trace"]["stages"];
  state: keyof Strings["trace"]["states"];
  at?: number;
  fault?: { code: string; detail: string; nextAt?: number };
}

/** A connection test, and the message that arrived since; times in ms. */
export interface LiveTestProps {
  since: number;
  tested?: TestedProps;
  stages: StageProps[];
  silence?: { why: keyof Strings["trace"]["silence"] | "unreadable" | "vendor"; detail?: string; at?: number };
}

/** A rehearsal: an account's user plays a channel's customer. */
export interface RehearsalProps {
  chat: { from: "customer" | "agent"; text: string; author?: string; at: number }[];
  stages?: StageProps[];
  maxLength: number;
}

/** Audit entries, and where the account's page is open; times in ms. */
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
