import type { Api } from "./api.ts";
import type { Chats } from "./chats.ts";
import type { Thread } from "./thread.ts";

/** Marks the open chat as read when its messages are visible. */
export function readWhenSeen(api: Api, chats: Chats, thread: Thread, problem: (error: unknown) => void): void {
  const reading = new Set<number>();
  const read = async (): Promise<void> => {
    const before = thread.loaded() ? chats.get(thread.chatId()) : undefined;
    if (!before || before.unread === 0 || document.visibilityState !== "visible" || reading.has(before.id)) return;
    reading.add(before.id);
    try {
      await api.agent("POST", `/chats/${before.id}/read`);
      // An event meanwhile wins: it may have brought another message.
      if (chats.get(before.id) === before) chats.seen(before.id);
    } finally {
      reading.delete(before.id);
    }
    return read();
  };
  const look = () => void read().catch(problem);
  thread.onChange(look);
  chats.onChange(look);
  document.addEventListener("visibilitychange", look);
}
