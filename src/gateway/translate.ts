import { createHash } from "node:crypto";
import type { Features, Way } from "../domain/channel.ts";
import { fitGatewayId, type GatewayChannelId, type GatewayFileId } from "../domain/ids.ts";
import type { ChannelEvent, Content, Customer, Mark } from "../domain/message.ts";
import { int64 } from "./json.ts";

/** The gateway says `send` for module to gateway and `receive` for gateway to module; here that is turned round, once. */
const WAY: Record<Way, string> = { inbound: "send", outbound: "receive", both: "both", none: "none" };

const way = (value: Way | undefined) => value && WAY[value];

/** The gateway's names of formats (contract: MarkupFormat). */
const FORMAT: Record<Mark["type"], string> = {
  bold: "bold",
  italic: "italic",
  underline: "underline",
  strikethrough: "strikethrough",
  code: "inline_monospace",
  pre: "block_monospace",
  link: "link",
};

type FileFeatures = NonNullable<Features["image"]>;
const actions = (d: Partial<Record<"creating" | "editing" | "quoting" | "deleting" | "reaction", Way>>) => ({
  creating: way(d.creating),
  editing: way(d.editing),
  quoting: way(d.quoting),
  deleting: way(d.deleting),
  reaction: way(d.reaction),
});
const fileDeeds = (d: Partial<FileFeatures> | undefined) =>
  d && { ...actions(d), max_items_count: d.maxCount, max_item_size: d.maxSize, note_max_chars_count: d.maxNote };

/** Features as the gateway's channel settings (contract: ChannelSettings). */
export function toSettings(f: Features): Record<string, unknown> {
  const suggestions = f.suggestions && {
    text: way(f.suggestions.text),
    phone: way(f.suggestions.phone),
    email: way(f.suggestions.email),
    url: way(f.suggestions.url),
  };
  return {
    text: {
      ...actions(f.text),
      max_chars_count: f.text.maxLength,
      markup_formats: f.text.formats?.map((format) => FORMAT[format]),
    },
    image: fileDeeds(f.image),
    file: fileDeeds(f.file),
    audio: fileDeeds(f.audio),
    product: f.product && actions(f.product),
    order: f.order && actions(f.order),
    status: { delivered: way(f.delivered), read: way(f.read) },
    suggestions,
    reactions: f.reactions && { dictionary: f.reactions.dictionary, max_count: f.reactions.maxCount },
    sending_policy: { new_customer: f.firstContact, after_reply_timeout: f.afterReplyTimeout },
  };
}

/** Equal exactly when the gateway need not be told anew. */
export const announcement = (name: string, features: Features): string =>
  createHash("sha256")
    .update(JSON.stringify([name, features.type, toSettings(features)]))
    .digest("base64url");

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;
/** Most characters of a nickname, first or last name, of a text, of a note and of a caption, and most files (contract). */
const NAME_LENGTH = 255;
const TEXT_LENGTH = 65_535;
const NOTE_LENGTH = 64_000;
const CAPTION_LENGTH = 1_024;
const MOST_FILES = 20;
/** Comes from the visitor's browser; the gateway refuses a message whose page is no web address. */
const webAddress = (page: string | undefined) =>
  page && URL.canParse(page) && /^https?:$/.test(new URL(page).protocol) ? new URL(page).href : undefined;
const cut = (value: string | undefined, most: number) => value && [...value].slice(0, most).join("");

interface Posting {
  event: InboundMessage;
  files: GatewayFileId[];
  avatar?: string;
}

/** A customer's message as the body of `POST /messages`. */
export function toSendRequest(
  channel: GatewayChannelId,
  { event, files, avatar }: Posting,
  options: { quote: boolean },
): Record<string, unknown> {
  return {
    channel: int64(channel),
    originator: event.originator,
    external_chat_id: fitGatewayId(event.chat),
    customer: toCustomer(event.customer, avatar),
    message: {
      external_id: event.messengerMessageId,
      created_at: new Date(event.at).toISOString(),
      page_link: webAddress(event.page),
      ...toWireContent(event.content, files),
    },
    quote: options.quote && event.quote ? { external_id: event.quote } : undefined,
  };
}

const toCustomer = (customer: Customer, avatar: string | undefined) => ({
  external_id: fitGatewayId(customer.id),
  nickname: cut(customer.nickname, NAME_LENGTH) || "Customer",
  first_name: cut(customer.firstName, NAME_LENGTH),
  last_name: cut(customer.lastName, NAME_LENGTH),
  language: customer.language,
  phone: customer.phone,
  email: customer.email,
  profile_url: customer.profileUrl,
  avatar,
  utm: customer.utm && toUtm(customer.utm),
});

const toUtm = ({ source, medium, campaign, term, content }: NonNullable<Customer["utm"]>) => ({
  source: cut(source, NAME_LENGTH) || undefined,
  medium: cut(medium, NAME_LENGTH) || undefined,
  campaign: cut(campaign, NAME_LENGTH) || undefined,
  term: cut(term, NAME_LENGTH) || undefined,
  content: cut(content, NAME_LENGTH) || undefined,
});

/** A line in the channel's own name; the chat is known, so that no customer need be told. */
export const toNoteRequest = (channel: GatewayChannelId, note: Extract<ChannelEvent, { type: "note" }>) => ({
  channel: int64(channel),
  originator: "channel",
  external_chat_id: fitGatewayId(note.chat),
  message: {
    external_id: note.messengerMessageId,
    created_at: new Date(note.at).toISOString(),
    type: "text",
    text: toWireText(note.text),
  },
});

function toWireContent(content: Content, files: GatewayFileId[]): Record<string, unknown> {
  switch (content.type) {
    case "text":
      return { type: "text", text: toWireText(content.text) };
    case "image":
    case "file":
    case "audio":
      return {
        type: content.type,
        items: files
          .slice(0, MOST_FILES)
          .map((id, n) => ({ id, caption: cut(content.files[n]?.caption, CAPTION_LENGTH) })),
        note: cut(content.note, NOTE_LENGTH),
      };
    // A customer cannot send these cards; a messenger that has them brings them as text.
    case "product":
    case "order":
      return { type: "text", text: toWireText(content.text ?? "") };
  }
}

/** Cut rather than refused: a message that is too long would not reach the agent at all. */
export const toWireText = (text: string): string => cut(text, TEXT_LENGTH) ?? "";
