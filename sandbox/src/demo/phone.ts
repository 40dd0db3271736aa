import type { BotCard, Person, PhoneChat, PhoneDraft, PhoneMessage } from "gangway-telegram/emulator/phone-wire";

export interface Phones {
  newBot(username: string, name: string): Promise<BotCard>;
  newPerson(person: { firstName: string; lastName?: string; username?: string; language?: string }): Promise<Person>;
  bots(): Promise<BotCard[]>;
  people(): Promise<Person[]>;
  say(person: number, chat: number, draft: PhoneDraft): Promise<number[]>;
  chats(person: number): Promise<PhoneChat[]>;
  /** A person's chat with a bot, oldest message first. */
  messages(person: number, bot: number): Promise<PhoneMessage[]>;
  ask<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/** `by` carries the requests. */
export function phonesAt(telegram: string, by: (url: string, init: RequestInit) => Promise<Response> = fetch): Phones {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    // The other end may close a kept-alive connection just as it is reused.
    const headers = { "content-type": "application/json", connection: "close" };
    const init = { method, headers, body: body && JSON.stringify(body) };
    const response = await by(`${telegram}${path}`, init as RequestInit);
    const answer = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(`the phone refused: ${response.status} ${answer.error ?? ""}`);
    return answer;
  };
  const api = "/phone/api";
  const chats = (person: number) => ask<PhoneChat[]>("GET", `${api}/${person}/chats`);
  return {
    ask,
    newBot: (username, name) => ask("POST", `${api}/bots`, { username, name }),
    newPerson: (person) => ask("POST", `${api}/people`, person),
    bots: () => ask("GET", `${api}/bots`),
    people: () => ask("GET", `${api}/people`),
    say: async (person, chat, draft) =>
      (await ask<{ ids: number[] }>("POST", `${api}/${person}/chats/${chat}/messages`, draft)).ids,
    chats,
    messages: async (person, bot) => (await chats(person)).find(({ id }) => id === bot)?.messages ?? [],
  };
}
