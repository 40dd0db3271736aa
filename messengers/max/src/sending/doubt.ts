import { DeliveryError } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { SendStep, SentPart } from "gangway-messenger/plan";
import type { LookupResult, LookupTarget } from "gangway-messenger/port";
import { readable } from "gangway-messenger/text";
import * as z from "zod";
import type { MaxApi } from "../api.ts";
import { message as wireMessage } from "../update.ts";
import { addressOf, type Context, oursKey, sentKey } from "../wire.ts";

// MAX has no idempotency keys. After a lost answer the dialog is read: a message that the bot has written since the
// first try, and that we do not know, is the one in doubt if its words are the same.

/** Maximum difference between MAX's clock and ours, ms. */
const SKEW_MS = 600_000;
/** How long after the last try a message may still appear, ms. */
const SETTLED_MS = 15_000;
/** Longest try that another process may have begun, ms: it uploads files first. */
const TRY_MS = 30_000;
const TRY_WITH_FILES_MS = 150_000;
const ASK_AGAIN_MS = 5_000;
const PAGE = 100;
const MAX_PAGES = 5;

const page = z.object({ messages: z.array(z.unknown()) });
type Message = z.infer<typeof wireMessage>;

/** Time of each step's last try, by key. For a try that this session does not know: its latest possible end. */
export function createTries({ clock, openedAt }: Context) {
  const last = new Map<string, number>();
  return {
    failed(key: string) {
      const now = clock.now();
      for (const [other, at] of last) if (at + SETTLED_MS <= now) last.delete(other);
      last.set(key, now);
    },
    ended: (key: string) => void last.delete(key),
    lastOf: (key: string, endedBy: number): number => last.get(key) ?? Math.max(openedAt, endedBy),
  };
}
export type Tries = ReturnType<typeof createTries>;

export const sentAs = ({ files }: Pick<SendStep, "files">, mid: string): { parts: [SentPart] } => ({
  parts: [{ messengerMessageId: mid as MessengerMessageId, holds: files.length > 0 ? "caption" : "text" }],
});

interface Asking {
  context: Context;
  api: MaxApi;
  tries: Tries;
}

export async function lookUp(
  { context, api, tries }: Asking,
  step: SendStep,
  { chat, key, since }: LookupTarget,
  signal: AbortSignal,
): Promise<LookupResult> {
  signal.throwIfAborted();
  const known = await context.notes.get(sentKey(key));
  if (known) return { found: "arrived", ...sentAs(step, known) };
  const { dialog } = addressOf(chat);
  const written = dialog && (await ownSince(api, dialog, since - SKEW_MS, signal));
  if (!written) return { found: "unknown" };
  const strange: Message[] = [];
  for (const each of written) if (!(await context.notes.get(oursKey(each.body.mid)))) strange.push(each);
  const found = strange.findLast((each) => each.sender?.is_bot === true && isLike(each, step));
  if (found) {
    await context.notes.set(sentNotes(key, found.body.mid));
    return { found: "arrived", ...sentAs(step, found.body.mid) };
  }
  const endedBy = since + (step.files.length > 0 ? TRY_WITH_FILES_MS : TRY_MS);
  if (context.clock.now() < tries.lastOf(key, endedBy) + SETTLED_MS)
    return { found: "unknown", askAgainMs: ASK_AGAIN_MS };
  // Another program may write as this bot: then it is not certain.
  return strange.length === 0 ? { found: "absent" } : { found: "unknown" };
}

export const sentNotes = (key: string, mid: string) => [
  { key: sentKey(key), value: mid },
  { key: oursKey(mid), value: key },
];

/** What the bot may have written since then, newest first. Undefined: MAX does not tell, or not everything. */
async function ownSince(
  api: MaxApi,
  dialog: string,
  since: number,
  signal: AbortSignal,
): Promise<Message[] | undefined> {
  const own = new Map<string, Message>();
  let from: number | undefined;
  for (let n = 0; n < MAX_PAGES; n++) {
    const query = { chat_id: dialog, count: String(PAGE), ...(from !== undefined && { from: String(from) }) };
    const request = { method: "GET", path: "messages", query, result: page, what: "the dialog" } as const;
    const answer = await api.ask(request, signal).catch(unanswered);
    const found = answer?.messages.map((each) => wireMessage.safeParse(each).data);
    // A dialog without any message proves nothing: it must contain the customer's own.
    if (!found?.length || !found.every((each) => each !== undefined)) return undefined;
    const times = found.map(({ timestamp }) => timestamp ?? 0);
    for (const each of found) if (each.sender?.is_bot !== false) own.set(each.body.mid, each);
    const oldest = Math.min(...times);
    if (found.length < PAGE || oldest < since)
      return [...own.values()].filter((each) => (each.timestamp ?? 0) >= since);
    if (oldest === from) return undefined;
    from = oldest;
  }
  return undefined;
}

/** A refusal leaves the doubt; any other failure is asked again. */
function unanswered(error: unknown): undefined {
  if (error instanceof DeliveryError && error.verdict.type === "reject") return undefined;
  throw error;
}

const squeezed = (text: string | null | undefined): string => (text ?? "").replace(/\s+/g, " ").trim();

/**
 * Whether it is the step in any form in which it may have been sent: as plain text with the links' URLs, or a file as
 * its URL.
 */
function isLike({ body }: Message, step: SendStep): boolean {
  const { text, files } = step;
  const attached = (body.attachments ?? []).filter(({ type }) => !["inline_keyboard", "share"].includes(type));
  const missing = files.length - attached.length;
  const isSaid = (said: string | null | undefined) =>
    [text, readable(step)].some((words) => squeezed(words) === squeezed(said));
  if (missing <= 0) return missing === 0 && isSaid(body.text);
  const lines = (body.text ?? "").trim().split("\n");
  const addresses = lines.splice(-missing);
  return addresses.length === missing && addresses.every(isAddress) && isSaid(lines.join("\n"));
}

/** A line that replaces a file. */
const isAddress = (line: string): boolean => /(^|: )https?:\/\/\S+$/.test(line.trim());
