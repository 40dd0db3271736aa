import { UPDATE_KINDS, type Update, type UpdateKind } from "./wire.ts";

export interface Letter {
  update: Update;
  at: number;
  attempts: number;
  busy: boolean;
  dueAt: number;
}
export interface Webhook {
  url: string;
  secret?: string;
  most: number;
}
/** A bot's pending updates. */
export interface Mailbox {
  nextUpdate: number;
  letters: Letter[];
  allowed: readonly string[];
  webhook?: Webhook;
  error?: { at: number; text: string };
  /** Ends the open long poll. */
  endPoll?: (reason: string) => void;
  wakers: Set<() => void>;
}
interface Owner {
  mail: Mailbox;
}
interface Timed {
  clock: { now(): number };
}

// "Specify an empty list to receive all update types except chat_member, message_reaction, and
// message_reaction_count (default)": https://core.telegram.org/bots/api#setwebhook
const ASKED_FOR = new Set<string>(["chat_member", "message_reaction", "message_reaction_count"]);
export const DEFAULT_ALLOWED = UPDATE_KINDS.filter((kind) => !ASKED_FOR.has(kind));
// "Incoming updates are stored on the server until the bot receives them either way, but they will not be kept
// longer than 24 hours": https://core.telegram.org/bots/api#getting-updates
const LIFE = 24 * 60 * 60 * 1000;

export const newMailbox = (nextUpdate: number): Mailbox => ({
  nextUpdate,
  letters: [],
  allowed: DEFAULT_ALLOWED,
  wakers: new Set(),
});

export function tell({ clock }: Timed, { mail }: Owner, kind: UpdateKind, payload: unknown): void {
  if (!mail.allowed.includes(kind)) return;
  const update: Update = { update_id: mail.nextUpdate, [kind]: structuredClone(payload) };
  mail.nextUpdate += 1;
  const now = clock.now();
  mail.letters.push({ update, at: now, attempts: 0, busy: false, dueAt: now });
  for (const wake of [...mail.wakers]) wake();
}

export function pending({ clock }: Timed, { mail }: Owner): Letter[] {
  const oldest = clock.now() - LIFE;
  if ((mail.letters[0]?.at ?? oldest) < oldest) mail.letters = mail.letters.filter((each) => each.at >= oldest);
  return mail.letters;
}

export function allow(mail: Mailbox, kinds: readonly string[] | undefined): void {
  if (kinds) mail.allowed = kinds.length > 0 ? [...kinds] : DEFAULT_ALLOWED;
}
