import { Refusal } from "../refusal.ts";
import type { Chat, Feature, Item, SandboxChannel, Suggestion, World } from "../world.ts";
import { allows, announces, blockOf, type Way } from "./gateway.ts";

// Checks against a channel's announced settings, for both directions.

export interface Content {
  type: string;
  text: string;
  note: string;
  items: Item[];
  suggestions: Suggestion[];
}

const FILES = ["image", "file", "audio"] as const;
type FileKind = (typeof FILES)[number];
export const isFileKind = (type: string): type is FileKind => (FILES as readonly string[]).includes(type);
const length = (text: string) => [...text].length;

/** A Refusal that names the setting and its value. */
export function forbidden({ settings }: SandboxChannel, words: string, setting: string): Refusal {
  const value = setting
    .split(".")
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], settings);
  const why = value === undefined ? "is missing" : `is ${JSON.stringify(value)}`;
  return new Refusal(400, `${words}: ${setting} ${why}`, setting);
}

const REFUSALS: Record<Exclude<Feature, "creating">, string> = {
  editing: "Channel does not edit messages",
  quoting: "Channel does not quote",
  deleting: "Channel does not delete messages",
  reaction: "Channel has no reactions",
};

export function checkFeature(channel: SandboxChannel, type: string, feature: Feature, way: Way): void {
  if (announces(channel, type, feature, way)) return;
  const reason = feature === "creating" ? `Channel does not accept messages of type ${type}` : REFUSALS[feature];
  throw forbidden(channel, reason, `settings.${blockOf(type)}.${feature}`);
}

export function checkReading(channel: SandboxChannel): void {
  if (allows(channel.settings.status?.read, "send")) return;
  throw forbidden(channel, "Channel does not report reading", "settings.status.read");
}

export function checkNewMessage(world: World, channel: SandboxChannel, message: Content, way: Way): void {
  checkFeature(channel, message.type, "creating", way);
  checkContent(world, channel, message, way);
}

/** Checks a new message, or one as edited. */
export function checkContent(world: World, channel: SandboxChannel, message: Content, way: Way): void {
  const { type } = message;
  if (type === "text" || type === "command") checkText(channel, message.text);
  if (isFileKind(type)) checkFiles(world, channel, type, message);
  for (const { type: kind } of message.suggestions)
    if (!allows(channel.settings.suggestions?.[kind], way))
      throw forbidden(channel, `Channel does not accept suggestions of type ${kind}`, `settings.suggestions.${kind}`);
}

export function checkText(channel: SandboxChannel, text: string): void {
  if (!text.trim()) throw new Refusal(400, "Message text is empty", "a text is not empty");
  const max = channel.settings.text?.max_chars_count;
  if (max && length(text) > max) throw forbidden(channel, "Text is too long", "settings.text.max_chars_count");
}

function checkFiles(world: World, channel: SandboxChannel, type: FileKind, { items, note }: Content): void {
  const { max_items_count: max, max_item_size: maxSize, note_max_chars_count: maxNote } = channel.settings[type] ?? {};
  if (items.length === 0) throw new Refusal(400, "Message has no items", "a file message has items");
  if (max && items.length > max)
    throw forbidden(channel, "Message has too many items", `settings.${type}.max_items_count`);
  if (maxNote && length(note) > maxNote)
    throw forbidden(channel, "Note is too long", `settings.${type}.note_max_chars_count`);
  for (const { id } of items) {
    const file = world.files.get(id);
    if (!file) throw new Refusal(400, `File ${id} not found`, "the file is uploaded");
    if (maxSize && file.bytes.byteLength > maxSize)
      throw forbidden(channel, `File ${id} is too large`, `settings.${type}.max_item_size`);
  }
}

export function checkReaction(channel: SandboxChannel, type: string, reaction: string, way: Way): void {
  checkFeature(channel, type, "reaction", way);
  const { dictionary } = channel.settings.reactions ?? {};
  if (dictionary && dictionary.length > 0 && !dictionary.includes(reaction))
    throw forbidden(channel, `Reaction ${reaction} is not in the dictionary`, "settings.reactions.dictionary");
}

export const noNewCustomers = (channel: SandboxChannel): Refusal =>
  forbidden(channel, "Channel does not allow to write to new customers", "settings.sending_policy.new_customer");

export function checkSendingPolicy(
  world: World,
  channel: SandboxChannel,
  chat: Chat,
  withTemplate: boolean,
  now: number,
): void {
  const policy = channel.settings.sending_policy ?? {};
  const wrote = world.messagesOf(chat.id).some((message) => message.from.type === "customer");
  if (!wrote && policy.outgoing === "restricted")
    throw forbidden(channel, "Channel does not allow to write first", "settings.sending_policy.outgoing");
  if (!wrote && policy.new_customer === "no") throw noNewCustomers(channel);
  if (!wrote && policy.new_customer === "template" && !withTemplate)
    throw forbidden(channel, "New customers can only be sent a template", "settings.sending_policy.new_customer");
  if (chat.replyDeadline === null || now <= chat.replyDeadline) return;
  const rule = "settings.sending_policy.after_reply_timeout";
  if (policy.after_reply_timeout === "no") throw forbidden(channel, "Time to reply is over", rule);
  if (policy.after_reply_timeout === "template" && !withTemplate)
    throw forbidden(channel, "Time to reply is over, only a template can be sent", rule);
}
