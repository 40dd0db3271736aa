import { createHash } from "node:crypto";
import { z } from "zod";
import type { MarkedText } from "../../domain/card.ts";
import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
import type { Mark } from "../../domain/message.ts";
import type { Note } from "../port.ts";
import type { View } from "./where.ts";

/** What a message said when it was last heard of: an edit tells the whole message, and not what of it has changed. */
const memory = z.object({
  words: z.string(),
  file: z.string().optional(),
  album: z.string().optional(),
  /** The message that tells its latest file. */
  copy: z.string().optional(),
});
export type Memory = z.infer<typeof memory>;

/** Words of an album's parts by the numbers of their messages; null of one that is deleted. */
const words = z.union([
  z.string().transform((text): MarkedText => ({ text, marks: [] })),
  z.object({ text: z.string(), marks: z.array(z.custom<Mark>()) }),
]);
const album = z.record(z.string(), words.nullable());
export type Album = z.infer<typeof album>;

/** Equal exactly when words and formatting are. */
export const digestOf = ({ text, marks }: MarkedText): string =>
  digest(text + (marks.length > 0 ? JSON.stringify(marks) : ""));

export const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 12);

const memoryKey = (id: MessengerMessageId) => `said:${id}`;
export const albumKey = (chat: ChatId, group: string): string => `album:${chat}/${group}`;

export const remembered = async (id: MessengerMessageId, { note }: View): Promise<Memory | undefined> =>
  parsed(memory, await note(memoryKey(id)));

export const albumOf = async (key: string, { note }: View): Promise<Album> => parsed(album, await note(key)) ?? {};

export const memoryNote = (id: MessengerMessageId, said: Memory): Note => ({
  key: memoryKey(id),
  value: JSON.stringify(said),
});
export function albumNote(key: string, parts: Album): Note {
  const shortest = (part: MarkedText | null) => (part && part.marks.length === 0 ? part.text : part);
  const value = Object.fromEntries(Object.entries(parts).map(([number, part]) => [number, shortest(part)]));
  return { key, value: JSON.stringify(value) };
}

/** Numbers of an album's messages, in the album's order. */
export const inOrder = (parts: Album): string[] => Object.keys(parts).sort((one, other) => Number(one) - Number(other));

const parsed = <Schema extends z.ZodType>(schema: Schema, value = ""): z.infer<Schema> | undefined =>
  value === "" ? undefined : schema.safeParse(JSON.parse(value)).data;
