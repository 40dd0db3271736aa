import * as z from "zod";
import type { MessageRef } from "../../channels/port.ts";
import { EXCERPT_LENGTH, lateFileText } from "../../domain/delivery/loss.ts";
import { type ChannelId, fingerprint, type MessengerMessageId } from "../../domain/ids.ts";
import type { Language } from "../../domain/language.ts";
import type { ChannelEvent, FilePart, FilesContent } from "../../domain/message/message.ts";
import { cutText } from "../../domain/text/split.ts";
import type { NoteStore } from "../../store/channels.ts";

type Message = Extract<ChannelEvent, { type: "message" }>;

/** Key prefix of our notes on messages that went without some of their files, for every kind of channel: then chat and message. */
export const LATE_FILE_NOTES = "late-files:";

/** What a message has gone without: written before it goes, so that a repeat does not have more than the gateway may have got. */
interface LateFiles {
  /** Positions of those files. */
  leftOut: number[];
  /** Messages that they came in, or were about to. */
  came: MessengerMessageId[];
  /** Its files must not follow. */
  isGone?: boolean;
}
const lateFiles = z.object({
  leftOut: z.array(z.number()),
  came: z.array(z.string().transform((id) => id as MessengerMessageId)),
  isGone: z.boolean().optional(),
});
const NONE: LateFiles = { leftOut: [], came: [] };

type Of = MessageRef & { channelId: ChannelId };

const keyOf = ({ chat, messengerMessageId }: Of) => `${LATE_FILE_NOTES}${chat}:${messengerMessageId}`;

export async function lateFilesOf(notes: NoteStore, of: Of): Promise<LateFiles> {
  const note = await notes.get(of.channelId, keyOf(of));
  return note === undefined ? NONE : lateFiles.parse(JSON.parse(note));
}

export const rememberLate = (notes: NoteStore, of: Of, now: LateFiles): Promise<void> =>
  notes.set(of.channelId, [{ key: keyOf(of), value: JSON.stringify(now) }]);

/** A message of its own for the files that a message went without; undefined when there are none. */
export function lateMessage(event: Message, { type, note = "" }: FilesContent, files: FilePart[]): Message | undefined {
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
export const lateContent = (content: FilesContent, words: string, language: Language): FilesContent => ({
  ...content,
  note: content.files.map((part) => lateFileText(part, words, language)).join("\n"),
});
