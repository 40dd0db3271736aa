import { fingerprint } from "gangway-messenger/ids";
import type { Note, SendTarget } from "gangway-messenger/port";

/** Key prefixes of the notes that sessions write. */
export const NOTES = {
  expires: [
    // Who writes in a chat, and about which listing; whether the agent was told; a customer's picture.
    "chat:",
    "told:",
    "face:",
    // Of our messages: content and time of the try by key, key by content, id by key, key by id.
    "trying:",
    "sending:",
    "posted:",
    "ours:",
    // A message of staff, by its webhook.
    "staff:",
    // A message that we ourselves have deleted.
    "gone:",
  ],
  ofStep: ["trying:", "posted:"],
  // When the subscription was checked, and with what result.
  stays: ["looked"],
};

export const chatKey = (chat: string) => `chat:${chat}`;
export const toldKey = (chat: string) => `told:${chat}`;
export const faceKey = (customer: string) => `face:${customer}`;
export const tryingKey = (key: string) => `trying:${key}`;
export const sendingKey = (chat: string, digest: string) => `sending:${chat}:${digest}`;
export const postedKey = (key: string) => `posted:${key}`;
export const oursKey = (id: string) => `ours:${id}`;
export const staffKey = (id: string) => `staff:${id}`;
export const goneKey = (id: string) => `gone:${id}`;
export const LOOKED = "looked";

/** Identifies a message by its content. Avito may show a text with a URL as a link. */
export interface Saying {
  type: string;
  words?: string;
}
export const digestOf = ({ type, words = "" }: Saying): string =>
  fingerprint(words.trim() === "" ? `#${type}` : words.trim());

/** Stored before a message leaves: Avito has no keys, so the content identifies it until its id is known. */
export const underWay = ({ chat, key }: SendTarget, digest: string, now: number): Note[] => [
  triedNote(key, { digest, began: now }),
  { key: sendingKey(chat, digest), value: `${now} ${key}` },
];

/** The last call of a message; times in ms. */
export interface Tried {
  digest: string;
  began: number;
  /** When it ended in doubt; absent: its end was not seen. */
  ended?: number;
}
export const triedNote = (key: string, { digest, began, ended }: Tried): Note => ({
  key: tryingKey(key),
  value: `${digest} ${began} ${ended ?? ""}`,
});
export function triedIn(value: string | undefined): Tried | undefined {
  const [, digest, began, ended] = /^(\S+) (\d+) (\d*)$/.exec(value ?? "") ?? [];
  return digest ? { digest, began: Number(began), ...(ended && { ended: Number(ended) }) } : undefined;
}

/** The form in which our message was posted: a picture may have become a link in a text. */
export interface Posted {
  id: string;
  holds: "text" | "media";
}
export const holdsOf = ({ type }: Pick<Saying, "type">): Posted["holds"] => (type === "image" ? "media" : "text");
export function postedIn(value: string | undefined): Posted | undefined {
  const [, holds, id] = /^(text|media) (.+)$/.exec(value ?? "") ?? [];
  return id ? { id, holds: holds as Posted["holds"] } : undefined;
}

/** `posted`: undefined if it was certainly refused. */
export const settled = ({ chat, key }: SendTarget, digest: string, posted: Posted | undefined): Note[] => [
  { key: tryingKey(key), value: "" },
  { key: sendingKey(chat, digest), value: "" },
  ...(posted === undefined
    ? []
    : [
        { key: postedKey(key), value: `${posted.holds} ${posted.id}` },
        { key: oursKey(posted.id), value: key },
      ]),
];
