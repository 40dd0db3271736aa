import type { Note } from "gangway-messenger/port";

/** Key prefixes of the notes that sessions of Messenger and Instagram write. */
export const MESSAGING_NOTES = {
  expires: [
    // When a customer last wrote, who they are, and where they came from.
    "wrote:",
    "who:",
    "from:",
    // A message of ours by its key, and the key by the message's id.
    "posted:",
    "ours:",
  ],
  ofStep: ["posted:"],
  stays: [],
};

export const wroteKey = (chat: string) => `wrote:${chat}`;
export const whoKey = (customer: string) => `who:${customer}`;
export const fromKey = (chat: string) => `from:${chat}`;
/** The id of the message that was sent under this key. */
export const sentKey = (key: string) => `posted:${key}`;
export const oursKey = (mid: string) => `ours:${mid}`;
/**
 * Whether a note may be used for a message from a list. The source of a customer belongs to the message whose webhook
 * follows it; and a message under way may not be the listed one with the same words.
 */
export const isForLists = (key: string): boolean =>
  ["who:", "wrote:", "ours:"].some((prefix) => key.startsWith(prefix));

/** The note of our message with this id. */
export const knownNotes = (key: string, mid: string): Note[] => [
  { key: sentKey(key), value: mid },
  { key: oursKey(mid), value: key },
];
