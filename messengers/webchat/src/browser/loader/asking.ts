import type { Look } from "../look.ts";
import type { Shell } from "../shell.ts";

// The loader's requests to the server, without cookies. None of them rejects.

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Undefined: the chat opens all the same, and reports the problem. */
export async function askLook(door: string): Promise<Partial<Look> | undefined> {
  try {
    const answer = await fetch(`${door}/appearance`, { credentials: "omit" });
    return answer.ok ? ((await answer.json()) as Partial<Look>) : undefined;
  } catch {
    return undefined;
  }
}

/** `mark`: of the newest message that was read (read-marks.ts); it begins with its time. */
async function hasUnread(door: string, token: string, mark: string | null): Promise<boolean> {
  const after = Number.parseInt(mark ?? "0", 10);
  try {
    const answer = await fetch(`${door}/unread?after=${after}`, { headers: bearer(token), credentials: "omit" });
    return answer.ok && ((await answer.json()) as { unread: number }).unread > 0;
  } catch {
    return false;
  }
}

/** Interval of checks for unread answers, ms. */
const PEEK_MS = 60_000;

/** Checks whether to tell the visitor of an answer: one waits, or they have written on this tab. */
export function createPeek(parts: () => Pick<Shell, "door" | "memory" | "session">, follow: () => void) {
  let [last, follows] = [Number.NEGATIVE_INFINITY, false];
  return async (): Promise<void> => {
    const { door, memory, session } = parts();
    const token = memory.get("visitor");
    const now = Date.now();
    if (!token || follows || document.visibilityState !== "visible" || now - last < PEEK_MS) return;
    last = now;
    if (!session.get("talked") && !(await hasUnread(door, token, memory.get("read")))) return;
    follows = true;
    follow();
  };
}

/** Without a network it is forgotten in this browser at least. */
export async function endToken(door: string, token: string): Promise<void> {
  const init = { method: "POST", headers: bearer(token), credentials: "omit", keepalive: true } as const;
  await fetch(`${door}/logout`, init).catch(() => {});
}
