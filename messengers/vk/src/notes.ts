import type { ChatId } from "gangway-messenger/ids";

/** Prefixes of the notes that sessions write. */
export const NOTES = {
  expires: [
    // The random_id of a step by its key, a step's key by chat and random_id, and a chat's last random_id.
    "random:",
    "ours:",
    "lastRandom:",
    // Whether a step has waited after VK took it for spam.
    "flooded:",
    // Attachments of a message of ours; who a customer is; whether they forbid messages.
    "attached:",
    "person:",
    "denied:",
  ],
  ofStep: ["random:", "flooded:"],
  stays: ["community:", "poll:"],
};

export const randomKey = (key: string) => `random:${key}`;
export const oursKey = (chat: ChatId, random: number) => `ours:${chat}:${random}`;
export const lastRandomKey = (chat: ChatId) => `lastRandom:${chat}`;
export const floodedKey = (key: string) => `flooded:${key}`;
export const attachedKey = (id: string) => `attached:${id}`;
/** A message of ours by its number in the chat, for echoes without a random_id. */
export const oursByNumberKey = (id: string) => `ours:${id}:number`;
