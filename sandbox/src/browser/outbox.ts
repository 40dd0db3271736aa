import type { Api } from "./api.ts";
import type { KeptFile } from "./drafts.ts";
import { type Message, wordsOf } from "./model.ts";
import type { Thread } from "./thread.ts";

/** A message to post, and its part of the draft. */
export interface Post {
  body: Record<string, unknown>;
  words: string;
  files: KeptFile[];
}
export interface Waiting {
  key: number;
  words: string;
  note: boolean;
  /** Ids above this one may be the posted message. */
  after: number;
}

/** Messages not yet accepted by the gateway, posted in order per chat. */
export interface Outbox {
  /** Rejects with the first error; `left` gets what was not posted. */
  send(chatId: number, posts: Post[], left: (posts: Post[]) => void): Promise<void>;
  /** Without those whose event preceded the answer. */
  waiting(chatId: number | undefined, messages: readonly Message[]): Waiting[];
  onChange(listener: () => void): void;
}

export function createOutbox(api: Api, thread: Thread, me: number): Outbox {
  const queues = new Map<number, Promise<void>>();
  const listeners = new Set<() => void>();
  let keys = 0;
  let waiting: (Waiting & { chatId: number })[] = [];
  const notify = () => {
    for (const listener of listeners) listener();
  };
  const post = async (chatId: number, { body }: Post): Promise<void> => {
    const { message_id: id } = await api.bot<{ message_id: number }>("POST", "/messages", { chat_id: chatId, ...body });
    // Normally the socket brings it; otherwise fetch it. If that fails, the next resync does.
    await thread.want(chatId, id).catch(() => {});
  };
  const postAll = async (chatId: number, posts: Post[], left: (posts: Post[]) => void): Promise<void> => {
    const after = Math.max(0, ...thread.messages().map(({ id }) => id));
    const mine = posts.map(({ words, files, body }) => ({
      key: ++keys,
      chatId,
      after,
      words: words || files.map(({ name }) => name).join(", ") || "…",
      note: body.scope === "private",
    }));
    waiting.push(...mine);
    notify();
    try {
      for (let n = 0; n < posts.length; n++) {
        const next = posts[n] as Post;
        await post(chatId, next).catch((error: unknown) => {
          left(posts.slice(n));
          throw error;
        });
        waiting = waiting.filter((each) => each !== mine[n]);
        notify();
      }
    } finally {
      waiting = waiting.filter((each) => !mine.includes(each));
      notify();
    }
  };
  return {
    send(chatId, posts, left) {
      const before = queues.get(chatId) ?? Promise.resolve();
      const posting = before.catch(() => {}).then(() => postAll(chatId, posts, left));
      queues.set(chatId, posting);
      return posting;
    },
    waiting(chatId, messages) {
      const own = messages.filter(({ from }) => from?.id === me);
      return waiting.filter((each) => each.chatId === chatId && !takePosted(own, each));
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

/** Removes the message that this entry became; false if it is not there yet. */
function takePosted(own: Message[], { after, words }: Waiting): boolean {
  const found = own.findIndex((message) => message.id > after && (wordsOf(message) || words) === words);
  if (found >= 0) own.splice(found, 1);
  return found >= 0;
}
