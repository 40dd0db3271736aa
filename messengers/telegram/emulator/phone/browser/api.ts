import type { BotCard, Person, PhoneChat, PhoneDraft } from "../../phone-wire.ts";

const BASE = "/telegram/phone/api";

/** Throws an Error with the server's message. */
async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method };
  if (body !== undefined) {
    init.headers = { "content-type": "application/json" };
    init.body = JSON.stringify(body);
  }
  const response = await fetch(BASE + path, init);
  const answer = (await response.json()) as T & { error?: string };
  if (!response.ok) throw new Error(answer.error ?? `The messenger answered ${response.status}`);
  return answer;
}

export const people = () => ask<Person[]>("GET", "/people");
export const newPerson = (firstName: string, language: string | undefined) =>
  ask<Person>("POST", "/people", { firstName, language });
export const bots = () => ask<BotCard[]>("GET", "/bots");
export const chatbot = (person: number) => ask<{ bot: number | null }>("GET", `/${person}/chatbot`);
export const setChatbot = (person: number, bot: number | null) => ask("PUT", `/${person}/chatbot`, { bot });
export const chats = (person: number) => ask<PhoneChat[]>("GET", `/${person}/chats`);

export async function upload(file: Blob, name: string): Promise<string> {
  const headers = { "content-type": file.type || "application/octet-stream", "x-file-name": encodeURIComponent(name) };
  const response = await fetch(`${BASE}/files`, { method: "POST", headers, body: file });
  const answer = (await response.json()) as { id: string; error?: string };
  if (!response.ok) throw new Error(answer.error ?? "The file was not accepted");
  return answer.id;
}

export function chatActs(person: number, chat: number) {
  const at = `/${person}/chats/${chat}`;
  return {
    send: (draft: PhoneDraft) => ask<{ ids: number[] }>("POST", `${at}/messages`, draft),
    edit: (id: number, text: string) => ask("PATCH", `${at}/messages/${id}`, { text }),
    erase: (id: number) => ask("DELETE", `${at}/messages/${id}`),
    react: (id: number, emoji: string | null) => ask("PUT", `${at}/messages/${id}/reaction`, { emoji }),
    press: (id: number, pressed: string) => ask("POST", `${at}/messages/${id}/press`, { data: pressed }),
    block: (blocked: boolean) => ask("POST", `${at}/block`, { blocked }),
  };
}

/** Calls `changed` with each changed chat, and `again` after every reconnect. */
export function follow(person: number, changed: (chat: PhoneChat) => void, again: () => void): () => void {
  const source = new EventSource(`${BASE}/${person}/events`);
  source.addEventListener("chat", (event) => changed(JSON.parse(event.data) as PhoneChat));
  source.addEventListener("open", again);
  return () => source.close();
}
