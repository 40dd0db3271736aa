import { REACTIONS } from "../sending/reactions.ts";
import { revisionId } from "../wire.ts";
import {
  digest,
  isGroup,
  locate,
  type MessageLocation,
  nothing,
  of,
  type Reading,
  type ReadingContext,
  speakerOf,
  timeOf,
} from "./reading-context.ts";
import { LINES, linesFor, type Update } from "./update.ts";

type Reaction = NonNullable<Update["message_reaction"]>;
type Kind = Reaction["new_reaction"][number];
type Counts = NonNullable<Update["message_reaction_count"]>;

/** Stands for a custom emoji, which bots cannot see. */
const CUSTOM = "❤";
const PAID = "⭐";
const emojiOf = ({ type, emoji }: Kind): string => (type === "paid" ? PAID : (emoji ?? CUSTOM));

/**
 * In a private chat: a reaction at the CRM, which holds one per side. In a group several people react to one message, so
 * each change becomes a message from the person who made it.
 */
export async function readReaction(reaction: Reaction, view: ReadingContext): Promise<Reading> {
  const { chat, message_id, user, actor_chat: actor, date, old_reaction: before, new_reaction: after } = reaction;
  if (!actor && (!user || user.is_bot)) return nothing();
  const who = { chat, message_id, from: user, sender_chat: actor };
  const location = await locate(who, view);
  if (!location) return nothing();
  const was = before.map(emojiOf);
  const is = after.map(emojiOf);
  // Premium users may set several: report the new one.
  const emoji = is.find((each) => !was.includes(each)) ?? is[0] ?? null;
  const at = timeOf(date, view);
  const { nth, note } = await turnOf(`${location.id}:${(actor ?? user)?.id ?? ""}`, date ?? 0, is.join(" "), view);
  const notes = [note];
  if (!isGroup(chat) && (emoji === null || REACTIONS.includes(emoji))) {
    const key = `r:${location.id}:${date ?? 0}:${emoji ?? "-"}${nth}`;
    const event = { type: "reaction" as const, key, chat: location.chat, messengerMessageId: location.id, at };
    return { events: [{ ...event, reaction: emoji }], notes };
  }
  const lines = linesFor(user?.language_code, view.settings.language);
  const { customer, prefix = "" } = speakerOf(who, view, false);
  const line = is.length > 0 ? lines.reacted({ emoji: is.join(" ") }) : lines.unreacted;
  const { events } = lineAbout(location, {
    customer,
    at,
    date,
    by: `${(actor ?? user)?.id ?? ""}${nth}`,
    text: prefix + line,
  });
  return { events, notes };
}

/**
 * Telegram gives whole seconds: adding, removing and adding within one second would look like repeats. Empty for the
 * first change of a second, and for a repeat.
 */
async function turnOf(who: string, date: number, now: string, { note }: ReadingContext) {
  const key = `reacted:${who}`;
  const [, at, turn, was] = /^(\d+) (\d+) (.*)$/s.exec((await note(key)) ?? "") ?? [];
  const turns = Number(at) !== date ? 0 : was === now ? Number(turn) : Number(turn) + 1;
  return { nth: turns > 0 ? `#${turns}` : "", note: { key, value: `${date} ${turns} ${now}` } };
}

interface Line {
  customer: ReturnType<typeof speakerOf>["customer"];
  at: number;
  date: number | undefined;
  by: string;
  text: string;
}

/** Its id contains author and time: several people may react within a second. */
function lineAbout({ id, chat }: MessageLocation, { customer, at, date = 0, by, text }: Line): Reading {
  const own = `r${digest(`${by} ${text}`)}`;
  return of({
    type: "message",
    key: `r:${id}:${date}:${own}`,
    chat,
    messengerMessageId: revisionId(id, `${date}${own}`),
    at,
    originator: "customer",
    customer,
    content: { type: "text", text },
    quote: id,
  });
}

/** Anonymous reactions: their counts become a message from the group. */
export async function readReactionCount(
  { chat, message_id, date, reactions }: Counts,
  view: ReadingContext,
): Promise<Reading> {
  const who = { chat, message_id, sender_chat: chat, from: undefined };
  const location = isGroup(chat) ? await locate(who, view) : undefined;
  if (!location) return nothing();
  const lines = LINES[view.settings.language];
  const counts = reactions.map(({ type, total_count: count }) => `${emojiOf(type)} ${count}`).join(", ");
  const text = counts ? lines.reactions({ counts }) : lines.unreacted;
  const { customer } = speakerOf(who, view, false);
  return lineAbout(location, { customer, at: timeOf(date, view), date, by: chat.id, text });
}
