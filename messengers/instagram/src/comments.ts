import type { ChatId, CustomerId, MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelEvent } from "gangway-messenger/message";
import type { Note } from "gangway-messenger/port";
import { type Entry, id } from "gangway-meta/envelope";
import { HUMAN_AGENT_MS, type Login } from "gangway-meta/messaging/network";
import { wroteKey } from "gangway-meta/messaging/notes";
import { nameIn } from "gangway-meta/messaging/people";
import type { Reading } from "gangway-meta/messaging/reading";
import type { Recipient } from "gangway-meta/messaging/sending";
import { timeOf } from "gangway-meta/time";
import * as z from "zod";
import { profileUrl } from "./network.ts";
import { commentKey } from "./notes.ts";

const comment = z.object({
  id,
  text: z.string().nullish(),
  from: z.object({ id: id.refine((given) => given.trim() !== ""), username: z.string().nullish() }),
});

/** Comments as messages: the answer goes to their author in private, once, within seven days. */
export async function readComments(entries: Entry[], { ownId, lines, context }: Login): Promise<Reading> {
  const events: ChannelEvent[] = [];
  const notes: Note[] = [];
  let unknown: string | undefined;
  for (const { time, changes } of entries)
    for (const { field, value } of changes ?? []) {
      if (field !== "comments") continue;
      const read = comment.safeParse(value).data;
      if (!read) unknown = "a comment that this version cannot read";
      if (!read?.text || read.from.id === ownId) continue;
      const at = timeOf(time, context.clock.now());
      const chat = read.from.id as ChatId;
      const key = `comment:${read.id}`;
      events.push({
        type: "message",
        key,
        chat,
        messengerMessageId: key as MessengerMessageId,
        at,
        originator: "customer",
        customer: authorOf(read.from),
        content: { type: "text", text: `${lines.commented}\n${read.text}` },
        replyUntil: at + HUMAN_AGENT_MS,
      });
      notes.push({ key: commentKey(chat), value: `${at} ${read.id}` });
    }
  return { events, notes, ...(unknown && { unknown }) };
}

const authorOf = (from: z.infer<typeof comment>["from"]) => {
  const handle = nameIn(from.username);
  const nickname = handle ? `@${handle}` : `Instagram ${from.id.slice(-4)}`;
  return { id: from.id as CustomerId, nickname, ...profileUrl(handle) };
};

/** The comment, if its author has written nothing since. */
export async function recipientOf({ context }: Pick<Login, "context">, chat: string): Promise<Recipient> {
  const [, at, commentId] = /^(\d+) (\d+)$/.exec((await context.notes.get(commentKey(chat))) ?? "") ?? [];
  if (!commentId) return { id: chat };
  const wroteAt = Number(await context.notes.get(wroteKey(chat))) || 0;
  return wroteAt > Number(at) ? { id: chat } : { comment_id: commentId };
}
