import { LINES, linesFor } from "./lines.ts";
import { laterId } from "./places.ts";
import { REACTIONS } from "./reactions.ts";
import { digest } from "./said.ts";
import type { Update } from "./update.ts";
import { isGroup, nothing, of, type Reading, speakerOf, timeOf, type View, type Where, whereOf } from "./where.ts";

type Reaction = NonNullable<Update["message_reaction"]>;
type Kind = Reaction["new_reaction"][number];
type Counts = NonNullable<Update["message_reaction_count"]>;

/** Bots see no custom emoji; what stands for one says at least that there was a reaction. */
const CUSTOM = "❤";
const PAID = "⭐";
const emojiOf = ({ type, emoji }: Kind): string => (type === "paid" ? PAID : (emoji ?? CUSTOM));

/**
 * In a private chat the CRM's own reaction, of which it holds one for each side. In a group many people react to one
 * message: there each change is a line from the one who made it, and nobody's wipes out another's.
 */
export async function readReaction(reaction: Reaction, view: View): Promise<Reading> {
  const { chat, message_id, user, actor_chat: actor, date, old_reaction: before, new_reaction: after } = reaction;
  if (!actor && (!user || user.is_bot)) return nothing();
  const who = { chat, message_id, from: user, sender_chat: actor };
  const where = await whereOf(who, view);
  if (!where) return nothing();
  const was = before.map(emojiOf);
  const is = after.map(emojiOf);
  // Who pays may set several: the CRM is told the one that is new.
  const emoji = is.find((each) => !was.includes(each)) ?? is[0] ?? null;
  const at = timeOf(date, view);
  if (!isGroup(chat) && (emoji === null || REACTIONS.includes(emoji))) {
    const key = `r:${where.id}:${date ?? 0}:${emoji ?? "-"}`;
    return of({ type: "reaction", key, chat: where.chat, messengerMessageId: where.id, at, reaction: emoji });
  }
  const lines = linesFor(user?.language_code, view.settings.language);
  const { customer, prefix = "" } = speakerOf(who, view, false);
  const line = is.length > 0 ? lines.reacted(is.join(" ")) : lines.unreacted;
  return lineAbout(where, { customer, at, date, by: (actor ?? user)?.id ?? "", text: prefix + line });
}

interface Line {
  customer: ReturnType<typeof speakerOf>["customer"];
  at: number;
  date: number | undefined;
  by: string;
  text: string;
}

/** Numbered by who says it and when, since many may in one second. */
function lineAbout({ id, chat }: Where, { customer, at, date = 0, by, text }: Line): Reading {
  const own = `r${digest(`${by} ${text}`)}`;
  return of({
    type: "message",
    key: `r:${id}:${date}:${own}`,
    chat,
    messengerMessageId: laterId(id, `${date}${own}`),
    at,
    originator: "customer",
    customer,
    content: { type: "text", text },
    quote: id,
  });
}

/** Of people who do not show themselves: how many there are now, said in the group's own name. */
export async function readReactionCount({ chat, message_id, date, reactions }: Counts, view: View): Promise<Reading> {
  const who = { chat, message_id, sender_chat: chat, from: undefined };
  const where = isGroup(chat) ? await whereOf(who, view) : undefined;
  if (!where) return nothing();
  const lines = LINES[view.settings.language];
  const counts = reactions.map(({ type, total_count: count }) => `${emojiOf(type)} ${count}`).join(", ");
  const text = counts ? lines.reactions(counts) : lines.unreacted;
  const { customer } = speakerOf(who, view, false);
  return lineAbout(where, { customer, at: timeOf(date, view), date, by: chat.id, text });
}
