import type { Note } from "gangway-messenger/port";

/** Key prefixes of the notes that sessions of Messenger and Instagram write. */
export const MESSAGING_NOTES = {
  expires: [
    // When a customer last wrote; who they are; where they came from.
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
 * Whether a note may be used for a message that a list gives. What brought a customer belongs to the message that its webhook
 * comes before, and of messages that say the same one under way may not be the one listed.
 */
export const isForLists = (key: string): boolean =>
  ["who:", "wrote:", "ours:"].some((prefix) => key.startsWith(prefix));

/** Of a message of ours that has this id. */
export const knownNotes = (key: string, mid: string): Note[] => [
  { key: sentKey(key), value: mid },
  { key: oursKey(mid), value: key },
];
