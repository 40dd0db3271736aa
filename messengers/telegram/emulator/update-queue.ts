import { UPDATE_KINDS, type Update, type UpdateKind } from "./wire.ts";

export interface QueuedUpdate {
  update: Update;
  at: number;
  attempts: number;
  busy: boolean;
  dueAt: number;
}
export interface Webhook {
  url: string;
  secret?: string;
  maxConnections: number;
}
/** A bot's pending updates. */
export interface UpdateQueue {
  nextUpdate: number;
  entries: QueuedUpdate[];
  allowed: readonly string[];
  webhook?: Webhook;
  error?: { at: number; text: string };
  /** Ends the open long poll. */
  endPoll?: (reason: string) => void;
  wakers: Set<() => void>;
}
interface Owner {
  queue: UpdateQueue;
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

export const newUpdateQueue = (nextUpdate: number): UpdateQueue => ({
  nextUpdate,
  entries: [],
  allowed: DEFAULT_ALLOWED,
  wakers: new Set(),
});

export function enqueue({ clock }: Timed, { queue }: Owner, kind: UpdateKind, payload: unknown): void {
  if (!queue.allowed.includes(kind)) return;
  const update: Update = { update_id: queue.nextUpdate, [kind]: structuredClone(payload) };
  queue.nextUpdate += 1;
  const now = clock.now();
  queue.entries.push({ update, at: now, attempts: 0, busy: false, dueAt: now });
  for (const wake of [...queue.wakers]) wake();
}

export function pending({ clock }: Timed, { queue }: Owner): QueuedUpdate[] {
  const oldest = clock.now() - LIFE;
  if ((queue.entries[0]?.at ?? oldest) < oldest) queue.entries = queue.entries.filter((each) => each.at >= oldest);
  return queue.entries;
}

export function allow(queue: UpdateQueue, kinds: readonly string[] | undefined): void {
  if (kinds) queue.allowed = kinds.length > 0 ? [...kinds] : DEFAULT_ALLOWED;
}
