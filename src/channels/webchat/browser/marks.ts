import type { Shown } from "./history.ts";
import type { Memory } from "./memory.ts";
import { Refused } from "./protocol.ts";

export interface Marks {
  /** What the visitor has not seen, of these. */
  unread(messages: Shown[]): Shown[];
  /** Tells the server of each, in order; what could not be told is told at the next call. */
  read(messages: () => Shown[]): Promise<void>;
}

/** Sorts by time, so that one remembered mark tells all that was read before. */
const markOf = (message: Shown) => `${String(message.at).padStart(16, "0")}:${message.id}`;

/** Which of the agent's messages are read: `seen` is what the count shows, the remembered mark is what the server knows. */
export function createMarks(memory: Memory, report: (id: string) => Promise<void>): Marks {
  const seen = new Set<string>();
  let telling = false;
  const told = () => memory.get("read") ?? "";
  const untold = (messages: Shown[]) =>
    messages.filter((message) => message.from === "agent" && !message.deleted && markOf(message) > told());
  return {
    unread: (messages) => untold(messages).filter((message) => !seen.has(message.id)),
    async read(messages) {
      for (const message of untold(messages())) seen.add(message.id);
      if (telling) return;
      telling = true;
      try {
        for (let [next] = untold(messages()); next; [next] = untold(messages())) {
          const message = next;
          await report(message.id).catch((error: unknown) => {
            // A message the server no longer has would bar the way to all later ones.
            if (!(error instanceof Refused) || error.status === 401) throw error;
          });
          memory.set("read", markOf(message));
        }
      } catch {
        // Out of reach; the next call begins at the same place.
      }
      telling = false;
    },
  };
}
