import { randomUUID } from "node:crypto";
import type { StandIn } from "gangway-messenger/hosted";
import type { ChatId, CustomerId } from "gangway-messenger/ids";
import type { Language } from "gangway-messenger/language";
import type { Customer } from "gangway-messenger/message";
import { entry, TEXT_LENGTH } from "./wire.ts";
import { titles } from "./words.ts";

/** A channel has one customer, with one chat. */
export const CHAT = "customer" as ChatId;

export const customerIn = (language: Language): Customer => ({
  id: "customer" as CustomerId,
  nickname: titles[language],
});

/** The customer whom the account's users play. */
export const standIn: StandIn = {
  chat: CHAT,
  maxLength: TEXT_LENGTH,
  says: (text) => ({ path: "", headers: {}, body: JSON.stringify({ id: randomUUID(), text }) }),
  read(line) {
    const { success, data } = entry.safeParse(line);
    return success ? data : undefined;
  },
};
