import type { Mark } from "./message.ts";

/** Direction of a feature: inbound is customer to CRM, outbound is CRM to customer. */
export type Way = "inbound" | "outbound" | "both" | "none";

interface Actions {
  creating: Way;
  editing?: Way;
  quoting?: Way;
  deleting?: Way;
  reaction?: Way;
}
interface FileActions extends Actions {
  maxCount: number;
  /** Bytes. */
  maxSize: number;
  /** Code points of the files' caption. */
  maxNote?: number;
}

/** What a channel can do. Announced to the gateway, which shows the agent matching buttons. */
export interface Features {
  /** The gateway's own channel type, for example `consultant`. */
  type: string;
  /** `formats`: the formatting that the gateway's notation carries; absent for plain text. */
  text: Actions & { maxLength: number; formats?: Mark["type"][] };
  image?: FileActions;
  file?: FileActions;
  audio?: Omit<FileActions, "maxNote" | "editing">;
  product?: Actions;
  order?: Actions;
  delivered: Way;
  read: Way;
  suggestions?: Partial<Record<"text" | "phone" | "email" | "url", Way>>;
  reactions?: { dictionary: string[]; maxCount: number };
  /** May an agent write first, or after the messenger's reply window has closed? */
  firstContact: "no" | "template" | "text";
  afterReplyTimeout: "no" | "template";
  /** Agents may create templates. Present exactly when the session has `templates`. */
  templates?: { creation: boolean };
  /** `phone`: agents may write first to a phone number, which stands in for the customer's id. */
  customerId?: "any" | "phone";
  /** Of a WhatsApp number; the gateway shows it. `tier`: customers it may write to first within 24 h, 0: without limit. */
  whatsapp?: { tier?: number; quality?: "high" | "medium" | "low"; status?: WhatsAppStatus };
}
export type WhatsAppStatus = "connected" | "flagged" | "offline" | "pending" | "restricted";

export const MESSAGE_KINDS = ["text", "image", "file", "audio", "product", "order"] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];
type Action = "creating" | "editing" | "quoting" | "deleting" | "reaction";

/** What an adapter was proven to do against its messenger: written by the contract kit, announced to the gateway. */
export interface Shown {
  actions: Partial<Record<MessageKind, Partial<Record<Action, Way>>>>;
  suggestions: Partial<Record<"text" | "phone" | "email" | "url", Way>>;
  delivered: Way;
  read: Way;
}
/** What tests cannot prove: the channel's type, sizes and rules. */
interface Limits
  extends Pick<
    Features,
    "type" | "reactions" | "firstContact" | "afterReplyTimeout" | "templates" | "customerId" | "whatsapp"
  > {
  text: { maxLength: number };
  image?: Omit<FileActions, keyof Actions>;
  file?: Omit<FileActions, keyof Actions>;
  audio?: Omit<FileActions, keyof Actions | "maxNote">;
}

/** The union of two proofs. */
export function eitherShown(one: Shown, other: Shown): Shown {
  const actions: Shown["actions"] = {};
  for (const kind of MESSAGE_KINDS) {
    const ways = [one.actions[kind], other.actions[kind]].filter((each) => each !== undefined);
    if (ways.length > 0) actions[kind] = unionOfAll(ways);
  }
  const suggestions = unionOfAll([one.suggestions, other.suggestions]);
  return { actions, suggestions, ...unionOfAll([receipts(one), receipts(other)]) };
}

const receipts = ({ delivered, read }: Shown) => ({ delivered, read });

function unionOfAll<Ways extends Partial<Record<string, Way>>>(all: Ways[]): Ways {
  const union: Record<string, Way> = {};
  for (const [name, way] of all.flatMap((each) => Object.entries(each) as [string, Way][]))
    union[name] = unionOf(union[name] ?? "none", way);
  return union as Ways;
}

function unionOf(one: Way, other: Way): Way {
  if (one === "none" || one === other) return other;
  return other === "none" ? one : "both";
}

/** The proven actions within the limits. */
export function featuresOf({ actions, ...shown }: Shown, limits: Limits): Features {
  const of = (kind: MessageKind) => ({ creating: "none" as Way, ...actions[kind] });
  const { text, image, file, audio, ...rest } = limits;
  return {
    ...rest,
    ...shown,
    text: { ...of("text"), ...text },
    ...(image && actions.image && { image: { ...of("image"), ...image } }),
    ...(file && actions.file && { file: { ...of("file"), ...file } }),
    ...(audio && actions.audio && { audio: { ...of("audio"), ...audio } }),
    ...(actions.product && { product: of("product") }),
    ...(actions.order && { order: of("order") }),
  };
}

/** Texts of one field in a channel's settings. */
export interface FieldWords {
  label: string;
  hint?: string;
  /** In place of a hint: what to do on the other side, step by step. Values to copy are in backticks. */
  steps?: string[];
  /** Shows where to look on the other side; an SVG in the account page's colours. */
  picture?: { alt: string; svg: string };
  /** Labels of a select's options, by stored value. */
  choices?: Record<string, string>;
  /** Initial value in a new channel's form, instead of the schema's default. */
  initial?: string;
}
