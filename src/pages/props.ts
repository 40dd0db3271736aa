import type { Schema } from "./fields.ts";
import type { en } from "./i18n/en.ts";

export type Strings = typeof en;

/** Why a form was refused; the words are in the dictionary. */
export interface Fault {
  code: string;
  detail?: string;
  missing?: string[];
  field?: string;
  message?: string;
}

export interface ChannelProps {
  channel: { id: string; kind: string; name: string; state: string; trouble?: string; settings: unknown };
  title: string;
  counts: { waiting: number; done: number; dead: number; held: number };
  snippet?: string;
  schema: Schema;
}

export interface AccountProps {
  crmUrl: string;
  keyEnd: string;
  state: "working" | "off" | "frozen";
  trouble?: string;
  channels: ChannelProps[];
  kinds: { kind: string; title: string; schema: Schema }[];
  ended: { id: number; direction: string; state: "dead" | "held"; error: string; at: number; channelName: string }[];
}
