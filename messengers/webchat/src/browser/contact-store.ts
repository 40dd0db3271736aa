import { parsed } from "./json.ts";
import type { Memory } from "./memory.ts";
import { type Contact, visitorIn } from "./protocol.ts";

/** `visitor`: whose it is; absent until the chat is open. */
type KeptContact = Contact & { visitor?: string };

const kept = (memory: Memory): KeptContact => parsed<KeptContact>(memory.get("contact")) ?? {};

const withoutEmpty = (all: Contact): Contact => Object.fromEntries(Object.entries(all).filter(([, value]) => value));

interface Known {
  memory: Memory;
  user(): Contact | undefined;
}

/** What the visitor with this token, or the page, has told about them. */
export function contactIn({ memory, user }: Known, token?: string): Contact | undefined {
  const { visitor, ...said } = kept(memory);
  const own = visitor && token && visitor !== visitorIn(token) ? {} : said;
  const { name, email, phone } = { ...own, ...withoutEmpty(user() ?? {}) };
  return name || email || phone ? { name, email, phone } : undefined;
}

export function keepContact(memory: Memory, more: Contact, token?: string): void {
  const visitor = token && visitorIn(token);
  const before = kept(memory);
  // Before the chat is open it belongs to whoever has the token.
  const own = before.visitor && before.visitor !== visitorIn(token ?? memory.get("visitor") ?? "") ? {} : before;
  memory.set("contact", JSON.stringify({ ...own, ...withoutEmpty(more), ...(visitor && { visitor }) }));
}

/** Their chat has ended. */
export function dropContact(memory: Memory, visitor: string): void {
  if (kept(memory).visitor === visitor) for (const item of ["contact", "began", "asked"]) memory.set(item, null);
}

/** The chat is this visitor's now: forgets what another one has told, and was asked. */
export function claimContact(memory: Memory, visitor: string): void {
  const before = kept(memory);
  if (before.visitor && before.visitor !== visitor) dropContact(memory, before.visitor);
  else if (memory.get("contact")) memory.set("contact", JSON.stringify({ ...before, visitor }));
}
