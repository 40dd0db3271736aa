import type { AccountId, ChannelId, GatewayChannelId } from "./ids.ts";
import type { Mark } from "./message.ts";

/** Which way something may travel: inbound is customer to CRM, outbound is CRM to customer. */
export type Way = "inbound" | "outbound" | "both" | "none";

interface Deeds {
  creating: Way;
  editing?: Way;
  quoting?: Way;
  deleting?: Way;
  reaction?: Way;
}
interface FileDeeds extends Deeds {
  maxCount: number;
  /** Bytes. */
  maxSize: number;
  /** Code points of the text that goes with the files. */
  maxNote?: number;
}

/** What a channel can do; announced to the gateway, which draws the agent's buttons from it. */
export interface Features {
  /** The gateway's own channel type, for example `consultant`. */
  type: string;
  /** `formats`: which formatting the gateway's notation carries; absent: texts are plain. */
  text: Deeds & { maxLength: number; formats?: Mark["type"][] };
  image?: FileDeeds;
  file?: FileDeeds;
  audio?: Omit<FileDeeds, "maxNote" | "editing">;
  product?: Deeds;
  order?: Deeds;
  delivered: Way;
  read: Way;
  suggestions?: Partial<Record<"text" | "phone" | "email" | "url", Way>>;
  reactions?: { dictionary: string[]; maxCount: number };
  /** May an agent write first, or after the messenger's answer window has closed? */
  firstContact: "no" | "template" | "text";
  afterReplyTimeout: "no" | "template";
}

export const MESSAGE_KINDS = ["text", "image", "file", "audio", "product", "order"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
type Deed = "creating" | "editing" | "quoting" | "deleting" | "reaction";

/** What an adapter has shown to work against its messenger: written by the contract kit, announced to the gateway. */
export interface Shown {
  deeds: Partial<Record<MessageKind, Partial<Record<Deed, Way>>>>;
  suggestions: Partial<Record<"text" | "phone" | "email" | "url", Way>>;
  delivered: Way;
  read: Way;
}
/** What no test can show: the channel's type, sizes and rules. */
export interface Limits extends Pick<Features, "type" | "reactions" | "firstContact" | "afterReplyTimeout"> {
  text: { maxLength: number };
  image?: Omit<FileDeeds, keyof Deeds>;
  file?: Omit<FileDeeds, keyof Deeds>;
  audio?: Omit<FileDeeds, keyof Deeds | "maxNote">;
}

/** What was shown in one way of use or in the other. */
export function eitherShown(one: Shown, other: Shown): Shown {
  const deeds: Shown["deeds"] = {};
  for (const kind of MESSAGE_KINDS) {
    const ways = [one.deeds[kind], other.deeds[kind]].filter((each) => each !== undefined);
    if (ways.length > 0) deeds[kind] = joined(ways);
  }
  const suggestions = joined([one.suggestions, other.suggestions]);
  return { deeds, suggestions, ...joined([pick(one), pick(other)]) };
}

const pick = ({ delivered, read }: Shown) => ({ delivered, read });

function joined<Ways extends Partial<Record<string, Way>>>(all: Ways[]): Ways {
  const made: Record<string, Way> = {};
  for (const [name, way] of all.flatMap((each) => Object.entries(each) as [string, Way][]))
    made[name] = bothWays(made[name] ?? "none", way);
  return made as Ways;
}

function bothWays(one: Way, other: Way): Way {
  if (one === "none" || one === other) return other;
  return other === "none" ? one : "both";
}

/** Features of what was shown, within limits. */
export function featuresOf({ deeds, ...shown }: Shown, limits: Limits): Features {
  const of = (kind: MessageKind) => ({ creating: "none" as Way, ...deeds[kind] });
  const { text, image, file, audio, ...rest } = limits;
  return {
    ...rest,
    ...shown,
    text: { ...of("text"), ...text },
    ...(image && deeds.image && { image: { ...of("image"), ...image } }),
    ...(file && deeds.file && { file: { ...of("file"), ...file } }),
    ...(audio && deeds.audio && { audio: { ...of("audio"), ...audio } }),
    ...(deeds.product && { product: of("product") }),
    ...(deeds.order && { order: of("order") }),
  };
}

/** What people read at one field of a channel's settings. */
export interface FieldWords {
  label: string;
  hint?: string;
  /** Of a choice between several, by the stored value. */
  choices?: Record<string, string>;
}
/** By the language of the pages. */
export type InLanguages<Words> = Record<"en", Words>;

/** What to do with a message that was perhaps delivered and whose messenger knows no idempotency key. */
export type UnsurePolicy = "resend" | "hold";

/** Whether two troubles are one: what stands behind the colon is its detail, which may change from look to look. */
export const sameTrouble = (one: string | undefined, other: string | undefined): boolean =>
  one?.split(": ")[0] === other?.split(": ")[0];

export interface Channel {
  id: ChannelId;
  accountId: AccountId;
  kind: string;
  name: string;
  /** The random path segment of its messenger door. */
  door: string;
  /** As the adapter's schema left it; parsed by that schema before use. */
  settings: unknown;
  gatewayChannelId?: GatewayChannelId;
  /** Fingerprint of what was last announced to the gateway. */
  announced?: string;
  unsure: UnsurePolicy;
  /** `stopped`: its credentials died and its outbound lanes rest until a person acts. */
  state: "active" | "stopped" | "removed";
  /** What is wrong with it, in words, a detail behind a colon; it may go on all the same. */
  trouble?: string;
  /** Whose login it is at the messenger, unique over all kinds. */
  identity?: string;
  /** Grows with every change, so that an open session can be known to be stale. */
  epoch: number;
}
