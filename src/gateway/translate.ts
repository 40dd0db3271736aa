import type { MarkedText } from "../domain/channel/card.ts";
import type { Features, Way } from "../domain/channel/channel.ts";
import { fingerprint, fitGatewayId, type GatewayChannelId, type GatewayFileId } from "../domain/ids.ts";
import type { ChannelEvent, Content, Customer, Mark, OutboundAct } from "../domain/message/message.ts";
import { fromMarkdown, toMarkdown } from "../domain/text/markdown.ts";
import { cutText, type Markup, marksOf, plainText, readable, type Writing } from "../domain/text/text.ts";
import { int64 } from "./wire.ts";

/** The gateway's `send` means module to gateway, `receive` gateway to module; only this table translates. */
const DIRECTION: Record<Way, string> = { inbound: "send", outbound: "receive", both: "both", none: "none" };

const direction = (value: Way | undefined) => value && DIRECTION[value];

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
  creating: direction(d.creating),
  editing: direction(d.editing),
  quoting: direction(d.quoting),
  deleting: direction(d.deleting),
  reaction: direction(d.reaction),
});
const fileActions = (d: Partial<FileFeatures> | undefined) =>
  d && { ...actions(d), max_items_count: d.maxCount, max_item_size: d.maxSize, note_max_chars_count: d.maxNote };

/** Features as the gateway's channel settings (contract: ChannelSettings). */
export function toSettings(f: Features): Record<string, unknown> {
  const suggestions = f.suggestions && {
    text: direction(f.suggestions.text),
    phone: direction(f.suggestions.phone),
    email: direction(f.suggestions.email),
    url: direction(f.suggestions.url),
  };
  return {
    text: {
      ...actions(f.text),
      max_chars_count: f.text.maxLength,
      markup_formats: f.text.formats?.map((format) => FORMAT[format]),
    },
    image: fileActions(f.image),
    file: fileActions(f.file),
    audio: fileActions(f.audio),
    product: f.product && actions(f.product),
    order: f.order && actions(f.order),
    status: { delivered: direction(f.delivered), read: direction(f.read) },
    suggestions,
    reactions: f.reactions && { dictionary: f.reactions.dictionary, max_count: f.reactions.maxCount },
    sending_policy: { new_customer: f.firstContact, after_reply_timeout: f.afterReplyTimeout },
    template: f.templates,
    customer_external_id: f.customerId,
    whatsapp: f.whatsapp && {
      tier: f.whatsapp.tier,
      channel_quality: f.whatsapp.quality,
      channel_status: f.whatsapp.status,
    },
  };
}

/** A digest; the gateway needs an update exactly when it changes. */
export const announcement = (name: string, features: Features): string =>
  fingerprint(JSON.stringify([name, features.type, toSettings(features)]));

type InboundMessage = Extract<ChannelEvent, { type: "message" }>;
/** Maximum characters of a name, text, note and caption, and maximum number of files (contract). */
const NAME_LENGTH = 255;
const TEXT_LENGTH = 65_535;
const NOTE_LENGTH = 64_000;
const CAPTION_LENGTH = 1_024;
const MAX_FILES = 20;
/** From the visitor's browser, so untrusted: the gateway refuses a message whose page link is not a web URL. */
const webAddress = (page: string | undefined) =>
  page && URL.canParse(page) && /^https?:$/.test(new URL(page).protocol) ? new URL(page).href : undefined;
const cut = (value: string | undefined, max: number) => value && cutText(value, max);

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
    reply_deadline: event.replyUntil === undefined ? undefined : new Date(event.replyUntil).toISOString(),
  };
}

const toCustomer = (customer: Customer, avatar: string | undefined) => ({
  external_id: fitGatewayId(customer.id),
  secondary_external_ids: customer.otherIds?.map(fitGatewayId),
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

/** A message from the channel itself. The chat exists, so `customer` is not needed. */
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
          .slice(0, MAX_FILES)
          .map((id, n) => ({ id, caption: cut(content.files[n]?.caption, CAPTION_LENGTH) })),
        note: cut(content.note, NOTE_LENGTH),
      };
    // The gateway takes no cards from customers: send their text.
    case "product":
    case "order":
      return { type: "text", text: toWireText(content.text ?? "") };
  }
}

/** Truncates: the gateway refuses a longer text, and the agent would get nothing. */
export const toWireText = (text: string): string => cut(text, TEXT_LENGTH) ?? "";

/** Renders marked text for the gateway. If the markup makes it too long, drops the last marks. */
function render({ text, marks }: MarkedText, markup: Markup, max: number): string {
  const write = markup === "markdown" ? toMarkdown : readable;
  for (let kept = marks.length; kept > 0; kept >>= 1) {
    const rendered = write({ text, marks: marks.slice(0, kept) });
    if (rendered.length <= max) return rendered;
  }
  return write(plainText(text));
}

/** Renders the text of an edit or a note for the gateway. */
export const renderText = <Marked extends { text: string; marks?: Mark[] }>(
  marked: Marked,
  { markup, text }: Writing,
): Marked => ({
  ...marked,
  text: render({ text: marked.text, marks: marked.marks ?? [] }, markup, text),
  marks: undefined,
});

/** Renders a customer's content for the gateway. File captions are always plain. */
export function renderContent(content: Content, writing: Writing): Content {
  const { marks = [] } = content;
  if (!("files" in content)) return renderText({ ...content, text: content.text ?? "" }, writing);
  const note = content.note && render({ text: content.note, marks }, writing.markup, writing.note);
  return { ...content, note, marks: undefined };
}

export const readAct = (act: OutboundAct, markupOf: () => Markup): OutboundAct =>
  "content" in act ? { ...act, content: readContent(act.content, markupOf()) } : act;

/** Parses the markup of an agent's content into marks. */
export function readContent(content: Content, markup: Markup): Content {
  if (markup === "none") return content;
  if ("files" in content) {
    const { text, ...read } = readText(content.note);
    return { ...content, ...read, note: text };
  }
  return { ...content, ...readText(content.text) } as Content;
}

function readText(text: string | undefined): { text?: string; marks?: Mark[] } {
  if (!text) return { text };
  const read = fromMarkdown(text);
  return { text: read.text, ...marksOf(read) };
}
