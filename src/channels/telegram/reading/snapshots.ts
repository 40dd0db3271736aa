import * as z from "zod";
import type { MarkedText } from "../../../domain/channel/card.ts";
import { type ChatId, fingerprint, type MessengerMessageId } from "../../../domain/ids.ts";
import type { Mark } from "../../../domain/message/message.ts";
import type { Note } from "../../port.ts";
import type { ReadingContext } from "./reading-context.ts";

/** Last known state of a message. An edit update holds the whole message, not the change, so we compare. */
const snapshot = z.object({
  /** Digest of text and formatting. */
  words: z.string(),
  file: z.string().optional(),
  album: z.string().optional(),
  /** Id of the message that shows its latest file. */
  copy: z.string().optional(),
});
export type Snapshot = z.infer<typeof snapshot>;

/** Captions of an album's parts by message number; null for a deleted part. */
const caption = z.union([
  z.string().transform((text): MarkedText => ({ text, marks: [] })),
  z.object({ text: z.string(), marks: z.array(z.custom<Mark>()) }),
]);
const album = z.record(z.string(), caption.nullable());
export type Album = z.infer<typeof album>;

/** Equal if and only if text and formatting are. */
export const digestOf = ({ text, marks }: MarkedText): string =>
  digest(text + (marks.length > 0 ? JSON.stringify(marks) : ""));

export const digest = (text: string): string => fingerprint(text).slice(0, 12);

const snapshotKey = (id: MessengerMessageId) => `said:${id}`;
export const albumKey = (chat: ChatId, group: string): string => `album:${chat}/${group}`;

export const snapshotOf = async (id: MessengerMessageId, { note }: ReadingContext): Promise<Snapshot | undefined> =>
  parsed(snapshot, await note(snapshotKey(id)));

export const albumOf = async (key: string, { note }: ReadingContext): Promise<Album> =>
  parsed(album, await note(key)) ?? {};

export const snapshotNote = (id: MessengerMessageId, latest: Snapshot): Note => ({
  key: snapshotKey(id),
  value: JSON.stringify(latest),
});
export function albumNote(key: string, parts: Album): Note {
  const shortest = (part: MarkedText | null) => (part && part.marks.length === 0 ? part.text : part);
  const value = Object.fromEntries(Object.entries(parts).map(([number, part]) => [number, shortest(part)]));
  return { key, value: JSON.stringify(value), merge: true };
}

/** Message numbers of an album, ascending. */
export const inOrder = (parts: Album): string[] => Object.keys(parts).sort((one, other) => Number(one) - Number(other));

const parsed = <Schema extends z.ZodType>(schema: Schema, value = ""): z.infer<Schema> | undefined =>
  value === "" ? undefined : schema.safeParse(JSON.parse(value)).data;
