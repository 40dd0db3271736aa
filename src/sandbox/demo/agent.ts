/** A message as the inbox shows it. */
export interface InboxMessage {
  id: number;
  from: "customer" | "user";
  text: string;
  type: string;
  status: string;
  error?: { code: string };
  externalId?: string;
  edited: boolean;
  deleted: boolean;
  quote?: { id: number };
  files: { name: string; size: number; url: string }[];
  pageLink?: string;
}

/** An agent at the CRM's inbox, by its JSON API. */
export interface Agent {
  chats(): Promise<{ id: number; unread: number }[]>;
  messages(chat: number): Promise<InboxMessage[]>;
  say(
    chat: number,
    message: { text?: string; files?: string[]; quote?: number; suggestions?: { type: string; title: string }[] },
  ): Promise<number>;
  edit(message: number, text: string): Promise<void>;
  remove(message: number): Promise<void>;
  read(chat: number): Promise<void>;
  upload(name: string, mediaType: string, bytes: Uint8Array): Promise<string>;
}

export function agentAt(origin: string): Agent {
  const ask = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${origin}/inbox/api${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`the inbox refused: ${await response.text()}`);
    return (await response.json()) as T;
  };
  return {
    chats: async () => (await ask<{ chats: { id: number; unread: number }[] }>("GET", "/chats")).chats,
    messages: async (chat) => (await ask<{ messages: InboxMessage[] }>("GET", `/chats/${chat}`)).messages,
    say: async (chat, message) => (await ask<{ id: number }>("POST", `/chats/${chat}/messages`, message)).id,
    edit: (message, text) => ask("PUT", `/messages/${message}`, { text }),
    remove: (message) => ask("DELETE", `/messages/${message}`),
    read: (chat) => ask("POST", `/chats/${chat}/read`),
    upload: async (name, mediaType, bytes) => {
      const headers = { "content-type": mediaType, "x-file-name": encodeURIComponent(name) };
      const response = await fetch(`${origin}/inbox/api/files`, {
        method: "POST",
        headers,
        body: new Blob([bytes as Uint8Array<ArrayBuffer>]),
      });
      return ((await response.json()) as { id: string }).id;
    },
  };
}
