import { createHash } from "node:crypto";
import { z } from "zod";
import type { ChatId, MessengerMessageId } from "../../domain/ids.ts";
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
const album = z.record(z.string(), z.string().nullable());
export type Album = z.infer<typeof album>;

export const digest = (text: string): string => createHash("sha256").update(text).digest("base64url").slice(0, 12);

/** Both begin with what retention knows them by. */
const memoryKey = (id: MessengerMessageId) => `said:${id}`;
export const albumKey = (chat: ChatId, group: string): string => `album:${chat}/${group}`;

export const remembered = async (id: MessengerMessageId, { note }: View): Promise<Memory | undefined> =>
  parsed(memory, await note(memoryKey(id)));

export const albumOf = async (key: string, { note }: View): Promise<Album> => parsed(album, await note(key)) ?? {};

export const memoryNote = (id: MessengerMessageId, said: Memory): Note => ({
  key: memoryKey(id),
  value: JSON.stringify(said),
});
export const albumNote = (key: string, words: Album): Note => ({ key, value: JSON.stringify(words) });

/** Numbers of an album's messages, in the album's order. */
export const inOrder = (parts: Album): string[] => Object.keys(parts).sort((one, other) => Number(one) - Number(other));

const parsed = <Schema extends z.ZodType>(schema: Schema, value = ""): z.infer<Schema> | undefined =>
  value === "" ? undefined : schema.safeParse(JSON.parse(value)).data;
