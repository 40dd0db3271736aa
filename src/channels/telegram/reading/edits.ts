import type { MarkedText } from "../../../domain/channel/card.ts";
import type { MessengerMessageId } from "../../../domain/ids.ts";
import { albumText, prefixed, wordsIn } from "../../../domain/message/content.ts";
import type { AlbumWords, ChannelEvent, Content } from "../../../domain/message/message.ts";
import { joinTexts, marksOf, plainText } from "../../../domain/text/markup.ts";
import type { Note } from "../../port.ts";
import { messageId, parseMessageId, revisionId } from "../ids.ts";
import { contentOf, fileIn } from "./content.ts";
import { type Lines, linesFor } from "./lines.ts";
import { quotedIn } from "./quotes.ts";
import {
  isOfBot,
  isStaff,
  locate,
  type MessageLocation,
  nothing,
  type Reading,
  type ReadingContext,
  speakerOf,
  timeOf,
} from "./reading-context.ts";
import {
  type Album,
  albumKey,
  albumNote,
  albumOf,
  digest,
  digestOf,
  inOrder,
  type Snapshot,
  snapshotNote,
  snapshotOf,
} from "./snapshots.ts";
import type { TelegramMessage } from "./update.ts";

/** Notes to store with a message, so that its edits can be compared later. */
export async function snapshotNotes(
  message: TelegramMessage,
  location: MessageLocation,
  content: Content,
  view: ReadingContext,
): Promise<Note[]> {
  const now = currentSnapshot(message, location, content);
  const notes = [snapshotNote(location.id, now)];
  if (now.album) notes.push(albumNote(now.album, await albumWith(now.album, location.id, wordsIn(content), view)));
  return notes;
}

function currentSnapshot(message: TelegramMessage, location: MessageLocation, content: Content): Snapshot {
  const file = fileIn(message);
  const group = message.media_group_id;
  return {
    words: digestOf(wordsIn(content)),
    file: file && (file.file_unique_id ?? file.file_id),
    album: group === undefined ? undefined : albumKey(location.chat, group),
  };
}

const albumWith = async (key: string, id: MessengerMessageId, words: MarkedText, view: ReadingContext) => ({
  ...(await albumOf(key, view)),
  [parseMessageId(id).messageId]: words,
});

interface Edit {
  message: TelegramMessage;
  view: ReadingContext;
  location: MessageLocation;
  lines: Lines;
  content: Content;
  /** Lines above the text. */
  head: string;
  before: Snapshot | undefined;
  now: Snapshot;
}

/** Edited text becomes an edit at the CRM. The CRM cannot replace a file, so a new file becomes a new message. */
export async function readEdit(message: TelegramMessage, view: ReadingContext): Promise<Reading> {
  const location = isOfBot(message) ? undefined : await locate(message, view);
  const lines = linesFor(message.from?.language_code, view.settings.language);
  const unprefixed = location && contentOf(message, lines);
  if (!location || !unprefixed) return nothing();
  const { prefix = "" } = speakerOf(message, view, isStaff(message, location));
  const quoted = quotedIn(message, lines);
  const content = prefixed(unprefixed, prefix);
  const before = await snapshotOf(location.id, view);
  const now = { ...currentSnapshot(message, location, content), copy: before?.copy };
  if (before && before.words === now.words && before.file === now.file) return nothing();
  const edit = { message, view, location, lines, content, head: quoted?.always ? quoted.head : "", before, now };
  const isReplaced = before ? before.file !== now.file : now.file !== undefined && wordsIn(unprefixed).text === "";
  if (isReplaced) return fileReplaced(edit);
  const isRemoved = wordsIn(unprefixed).text === "";
  return textEdited(edit, isRemoved ? plainText(prefix + lines.captionRemoved) : wordsIn(content));
}

const editTime = ({ edit_date: edited, date = 0 }: TelegramMessage) => edited ?? date;

function newVersion({ message, view, location, content, head }: Edit, line: string) {
  const staff = isStaff(message, location);
  return {
    messengerMessageId: revisionId(location.id, editTime(message)),
    originator: staff ? ("channel" as const) : ("customer" as const),
    customer: speakerOf(message, view, staff).customer,
    content: prefixed(content, `${head}${line}\n`),
  };
}

function fileReplaced(edit: Edit): Reading {
  const { message, view, location, lines, now } = edit;
  const copy = newVersion(edit, lines.changedFile);
  const key = `e:${location.id}:${editTime(message)}:${digest(`${now.file} ${now.words}`)}`;
  const at = timeOf(message.edit_date, view);
  const event: ChannelEvent = { type: "message", key, chat: location.chat, at, ...copy, quote: location.id };
  return { events: [event], notes: [snapshotNote(location.id, { ...now, copy: copy.messengerMessageId })] };
}

async function textEdited(edit: Edit, words: MarkedText): Promise<Reading> {
  const { message, view, location, lines, content, head, before, now } = edit;
  const notes = [snapshotNote(location.id, now)];
  let album: AlbumWords | undefined;
  if (now.album && !before?.copy) {
    const parts = await albumWith(now.album, location.id, wordsIn(content), view);
    notes.push(albumNote(now.album, parts));
    album = { head, captions: captionsOf(parts, location.id), otherwise: words };
  }
  const own = joinTexts([plainText(head), words], "");
  const edited = album ? albumText(album) : own;
  const event: ChannelEvent = {
    type: "edited",
    // Of its own words: a repeat must have the same key when other captions have changed since.
    key: `e:${location.id}:${editTime(message)}:${digestOf(own)}`,
    chat: location.chat,
    messengerMessageId: (before?.copy as MessengerMessageId | undefined) ?? location.id,
    at: timeOf(message.edit_date, view),
    text: edited.text,
    ...marksOf(edited),
    ...(album && { album }),
    anew: newVersion(edit, lines.changed),
  };
  return { events: [event], notes };
}

/** `id`: of one of its parts. */
function captionsOf(album: Album, id: MessengerMessageId): AlbumWords["captions"] {
  const { chatId, owner } = parseMessageId(id);
  return inOrder(album).flatMap((number) => {
    const words = album[number];
    return words ? [{ messengerMessageId: messageId(chatId, number, owner), ...words }] : [];
  });
}
