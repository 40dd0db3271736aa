import type { Api } from "./api.ts";
import type { Chats } from "./chats.ts";
import type { Thread } from "./thread.ts";

/** Marks the open chat as read whenever its messages are really seen. */
export function readWhenSeen(api: Api, chats: Chats, thread: Thread, problem: (error: unknown) => void): void {
  const reading = new Set<number>();
  const read = async (): Promise<void> => {
    const before = thread.loaded() ? chats.get(thread.chatId()) : undefined;
    if (!before || before.unread === 0 || document.visibilityState !== "visible" || reading.has(before.id)) return;
    reading.add(before.id);
    try {
      await api.agent("POST", `/chats/${before.id}/read`);
      // When something was told meanwhile, that counts: it may be a message more.
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
