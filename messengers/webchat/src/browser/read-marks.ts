import type { ShownMessage } from "./history.ts";
import type { Memory } from "./memory.ts";
import { Refused } from "./protocol.ts";

export interface ReadMarks {
  /** Messages that the visitor has not seen. */
  unread(messages: ShownMessage[]): ShownMessage[];
  /** Reports each to the server, in order. The next call retries failed ones. */
  read(messages: () => ShownMessage[]): Promise<void>;
}

/** Sorts by time, so the newest mark covers all earlier messages. */
const markOf = (message: ShownMessage) => `${String(message.at).padStart(16, "0")}:${message.id}`;

/** Read state of agents' messages. `seen` drives the badge; the stored mark is what the server knows. */
export function createReadMarks(memory: Memory, report: (id: string) => Promise<void>): ReadMarks {
  const seen = new Set<string>();
  let reporting = false;
  const reported = () => memory.get("read") ?? "";
  const unreported = (messages: ShownMessage[]) =>
    messages.filter((message) => message.from === "agent" && !message.deleted && markOf(message) > reported());
  return {
    unread: (messages) => unreported(messages).filter((message) => !seen.has(message.id)),
    async read(messages) {
      for (const message of unreported(messages())) seen.add(message.id);
      if (reporting) return;
      reporting = true;
      try {
        for (let [next] = unreported(messages()); next; [next] = unreported(messages())) {
          const message = next;
          await report(message.id).catch((error: unknown) => {
            // Skip a message that the server no longer has; it would block all later ones.
            if (!(error instanceof Refused) || error.status === 401) throw error;
          });
          memory.set("read", markOf(message));
        }
      } catch {
        // Unreachable; the next call retries.
      }
      reporting = false;
    },
  };
}
