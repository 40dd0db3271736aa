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
  stays: [],
};

export const wroteKey = (chat: string) => `wrote:${chat}`;
export const whoKey = (customer: string) => `who:${customer}`;
const FROM = "from:";
export const fromKey = (chat: string) => `${FROM}${chat}`;
export const isFromKey = (key: string) => key.startsWith(FROM);
/** The id of the message that was sent under this key. */
export const sentKey = (key: string) => `posted:${key}`;
export const oursKey = (mid: string) => `ours:${mid}`;
/** Of a message of ours that has this id. */
export const knownNotes = (key: string, mid: string): Note[] => [
  { key: sentKey(key), value: mid },
  { key: oursKey(mid), value: key },
];
