import type { FieldWords, InLanguages } from "../domain/channel.ts";
import type { Schema } from "./fields.ts";
import type { en } from "./i18n/en.ts";

export type Strings = typeof en;

/** Why a form was refused; the words are in the dictionary. */
export interface Fault {
  code: string;
  detail?: string;
  missing?: string[];
  /** A field of the form, the adapter's own words about it, or the rule it breaks. */
  field?: string;
  message?: string;
  rule?: string;
  limit?: number;
}

/** What to do with a message that perhaps arrived; absent where the messenger always tells. */
export type Unsure = "resend" | "hold";

/** Of the schema's fields. */
type Words = InLanguages<Record<string, FieldWords>>;

export interface ChannelProps {
  channel: { id: string; kind: string; name: string; state: string; trouble?: string; settings: unknown };
  title: string;
  unsure?: Unsure;
  counts: { waiting: number; done: number; dead: number; held: number };
  /** Events of which nobody knows what has become; 0 when all is well. */
  hole: number;
  snippet?: { line: string; words: InLanguages<FieldWords> };
  schema: Schema;
  words: Words;
  /** What was set does not open any more. */
  unreadable?: true;
}

export interface AccountProps {
  crmUrl: string;
  keyEnd: string;
  state: "working" | "off" | "frozen";
  trouble?: string;
  channels: ChannelProps[];
  kinds: { kind: string; title: string; schema: Schema; words: Words; unsure?: Unsure }[];
  /** `channelName` is empty where the channel has been removed. */
  ended: {
    id: number;
    direction: string;
    state: "dead" | "held";
    code: string;
    error: string;
    at: number;
    channelName: string;
  }[];
}

/** What would become of a message. */
export interface PreviewProps {
  steps: { kind: string; text: string; files: string[]; buttons: string[] }[];
  losses: string[];
}
