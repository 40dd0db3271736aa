import type { MarkedText } from "../../domain/card.ts";
import { prefixed, wordsIn } from "../../domain/content.ts";
import type { MessengerMessageId } from "../../domain/ids.ts";
import { joinTexts, marksOf, plainText } from "../../domain/markup.ts";
import type { ChannelEvent, Content } from "../../domain/message.ts";
import type { Note } from "../port.ts";
import { contentOf, fileIn } from "./content.ts";
import { type Lines, linesFor } from "./lines.ts";
import { laterId, parseMessageId } from "./places.ts";
import { quotedIn } from "./quotes.ts";
import {
  albumKey,
  albumNote,
  albumOf,
  digest,
  digestOf,
  inOrder,
  type Memory,
  memoryNote,
  remembered,
} from "./said.ts";
import type { TelegramMessage } from "./update.ts";
import { isOfBot, isStaff, nothing, type Reading, speakerOf, timeOf, type View, type Where, whereOf } from "./where.ts";

/** What has to be kept of a message, so that its edits can be read. */
export async function keptOf(message: TelegramMessage, where: Where, content: Content, view: View): Promise<Note[]> {
  const now = memoryOf(message, where, content);
  const notes = [memoryNote(where.id, now)];
  if (now.album) notes.push(albumNote(now.album, await albumWith(now.album, where.id, wordsIn(content), view)));
  return notes;
}

function memoryOf(message: TelegramMessage, where: Where, content: Content): Memory {
  const file = fileIn(message);
  const group = message.media_group_id;
  return {
    words: digestOf(wordsIn(content)),
    file: file && (file.file_unique_id ?? file.file_id),
    album: group === undefined ? undefined : albumKey(where.chat, group),
  };
}

const albumWith = async (key: string, id: MessengerMessageId, words: MarkedText, view: View) => ({
  ...(await albumOf(key, view)),
  [parseMessageId(id).messageId]: words,
});

interface Edit {
  message: TelegramMessage;
  view: View;
  where: Where;
  lines: Lines;
  content: Content;
  /** Lines before the words. */
  head: string;
  before: Memory | undefined;
  now: Memory;
}

/** Words are edited at the CRM; a file cannot be, so that a message of its own tells it. */
export async function readEdit(message: TelegramMessage, view: View): Promise<Reading> {
  const where = isOfBot(message) ? undefined : await whereOf(message, view);
  const lines = linesFor(message.from?.language_code, view.settings.language);
  const bare = where && contentOf(message, lines);
  if (!where || !bare) return nothing();
  const { prefix = "" } = speakerOf(message, view, isStaff(message, where));
  const quoted = quotedIn(message, lines);
  const content = prefixed(bare, prefix);
  const before = await remembered(where.id, view);
  const now = { ...memoryOf(message, where, content), copy: before?.copy };
  if (before && before.words === now.words && before.file === now.file) return nothing();
  const edit = { message, view, where, lines, content, head: quoted?.always ? quoted.head : "", before, now };
  const isReplaced = before ? before.file !== now.file : now.file !== undefined && wordsIn(bare).text === "";
  if (isReplaced) return replaced(edit);
  const isRemoved = wordsIn(bare).text === "";
  return reworded(edit, isRemoved ? plainText(prefix + lines.captionRemoved) : wordsIn(content));
}

const stampOf = ({ edit_date: edited, date = 0 }: TelegramMessage) => edited ?? date;

function later({ message, view, where, content, head }: Edit, line: string) {
  const staff = isStaff(message, where);
  return {
    messengerMessageId: laterId(where.id, stampOf(message)),
    originator: staff ? ("channel" as const) : ("customer" as const),
    customer: speakerOf(message, view, staff).customer,
    content: prefixed(content, `${head}${line}\n`),
  };
}

function replaced(edit: Edit): Reading {
  const { message, view, where, lines, now } = edit;
  const copy = later(edit, lines.changedFile);
  const key = `e:${where.id}:${stampOf(message)}:${digest(`${now.file} ${now.words}`)}`;
  const at = timeOf(message.edit_date, view);
  const event: ChannelEvent = { type: "message", key, chat: where.chat, at, ...copy, quote: where.id };
  return { events: [event], notes: [memoryNote(where.id, { ...now, copy: copy.messengerMessageId })] };
}

async function reworded(edit: Edit, words: MarkedText): Promise<Reading> {
  const { message, view, where, lines, content, head, before, now } = edit;
  const notes = [memoryNote(where.id, now)];
  let said = words;
  if (now.album && !before?.copy) {
    const album = await albumWith(now.album, where.id, wordsIn(content), view);
    notes.push(albumNote(now.album, album));
    // The CRM has one note for all parts.
    const all = joinTexts(
      inOrder(album).flatMap((number) => album[number] ?? []),
      "\n",
    );
    if (all.text) said = all;
  }
  said = joinTexts([plainText(head), said], "");
  const event: ChannelEvent = {
    type: "edited",
    key: `e:${where.id}:${stampOf(message)}:${digestOf(said)}`,
    chat: where.chat,
    messengerMessageId: (before?.copy as MessengerMessageId | undefined) ?? where.id,
    at: timeOf(message.edit_date, view),
    text: said.text,
    ...marksOf(said),
    anew: later(edit, lines.changed),
  };
  return { events: [event], notes };
}
