import * as z from "zod";
import { type ChannelId, type ChatId, fingerprint, type MessengerMessageId } from "../../domain/ids.ts";
import type { Language } from "../../domain/language.ts";
import { EXCERPT_LENGTH, lateFileText } from "../../domain/loss.ts";
import type { ChannelEvent, Content, FilePart } from "../../domain/message.ts";
import { cutText } from "../../domain/split.ts";
import type { NoteStore } from "../../store/channels.ts";

type Message = Extract<ChannelEvent, { type: "message" }>;
type Files = Extract<Content, { files: FilePart[] }>;

/** Key prefix of our notes on messages that went without some of their files, for every kind of channel: then the chat and the message's id. */
export const LATE_FILE_NOTES = "late-files:";

/** What a message has gone without: written before it goes, so that a repeat does not have more than the gateway may have got. */
interface LateFiles {
  /** Places of those files. */
  leftOut: number[];
  /** Messages that they came in. */
  came: string[];
}
const lateFiles = z.object({ leftOut: z.array(z.number()), came: z.array(z.string()) });

interface Of {
  channelId: ChannelId;
  chat: ChatId;
  messengerMessageId: MessengerMessageId;
}

const keyOf = ({ chat, messengerMessageId }: Of) => `${LATE_FILE_NOTES}${chat}:${messengerMessageId}`;

/** Undefined: the message went with all its files, or was taken back. */
export async function lateFilesOf(notes: NoteStore, of: Of): Promise<LateFiles | undefined> {
  const note = await notes.get(of.channelId, keyOf(of));
  return note === undefined ? undefined : lateFiles.parse(JSON.parse(note));
}

/** Undefined: nothing of it may come any more. */
export const rememberLate = (notes: NoteStore, of: Of, now: LateFiles | undefined): Promise<void> =>
  notes.set(of.channelId, [{ key: keyOf(of), value: now ? JSON.stringify(now) : "" }]);

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
export const lateContent = (content: Files, words: string, language: Language): Files => ({
  ...content,
  note: content.files.map((part) => lateFileText(part, words, language)).join("\n"),
});
