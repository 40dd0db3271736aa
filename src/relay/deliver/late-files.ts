import { fingerprint, type MessengerMessageId } from "../../domain/ids.ts";
import type { Language } from "../../domain/language.ts";
import { EXCERPT_LENGTH, lateFileText } from "../../domain/loss.ts";
import type { ChannelEvent, Content, FilePart } from "../../domain/message.ts";
import { cutText } from "../../domain/split.ts";

type Message = Extract<ChannelEvent, { type: "message" }>;
type Files = Extract<Content, { files: FilePart[] }>;

/** A message of its own for the files that a message went without; undefined when there are none. */
export function lateMessage(event: Message, { type, note = "" }: Files, files: FilePart[]): Message | undefined {
  if (files.length === 0) return undefined;
  const { chat, at, originator, customer, key, messengerMessageId } = event;
  return {
    ...{ type: "message", key: `${key}:late`, chat, at, originator, customer },
    messengerMessageId: `late:${fingerprint(messengerMessageId)}` as MessengerMessageId,
    quote: event.late ? event.quote : messengerMessageId,
    content: { type, files },
    late: event.late ?? { words: cutText(note, EXCERPT_LENGTH) },
  };
}

/** Names the message that they belong to. */
export const lateContent = ({ type }: Files, files: FilePart[], words: string, language: Language): Files => ({
  ...{ type, files },
  note: files.map((part) => lateFileText(part, words, language)).join("\n"),
});
