import { fingerprint } from "gangway-messenger/ids";
import type { Note, SendTarget } from "gangway-messenger/port";
import type { Echo, Echoes } from "gangway-meta/messaging/network";
import { knownNotes, oursKey } from "gangway-meta/messaging/notes";
import type { OutMessage } from "gangway-meta/messaging/sending";
import { sendingKey } from "./notes.ts";

// Instagram has no metadata: a message of ours is recognized by its id, or by its words until that is known.

/** An echo arrives within this time, ms; a later message with the same words is from staff. */
const UNDER_WAY_MS = 3_600_000;

const digestOf = (text: string | null | undefined, type: string | undefined) => fingerprint(text || `#${type ?? ""}`);
const digestOut = ({ text, attachment }: OutMessage) => digestOf(text, attachment?.type);
const digestIn = ({ message }: Echo) => digestOf(message.text, message.attachments?.[0]?.type);

export const underWay = (message: OutMessage, { chat, key }: SendTarget, now: number): Note[] => [
  { key: sendingKey(chat, digestOut(message)), value: `${now} ${key}` },
];

/** `mid`: undefined if it was surely refused. */
export const settled = (message: OutMessage, { chat, key }: SendTarget, mid: string | undefined): Note[] => [
  { key: sendingKey(chat, digestOut(message)), value: "" },
  ...(mid ? knownNotes(key, mid) : []),
];

export const echoes: Echoes = {
  async ofOurs(echo, notes) {
    const { mid } = echo.message;
    if (await notes.get(oursKey(mid))) return [];
    const waiting = sendingKey(echo.chat, digestIn(echo));
    const [, since, key] = /^(\d+) (.+)$/.exec((await notes.get(waiting)) ?? "") ?? [];
    if (!key || echo.at - Number(since) > UNDER_WAY_MS) return undefined;
    return [{ key: waiting, value: "" }, ...knownNotes(key, mid)];
  },
};
