import type { ChannelSession } from "gangway-messenger/port";
import * as z from "zod";
import type { Login } from "../login.ts";
import { attachedKey } from "../notes.ts";
import { ANSWER_BYTES, type Attachment, message, messageId } from "../wire.ts";
import { partOf } from "./parts.ts";
import { knownRandomId } from "./random-id.ts";

/** Messages per page (messages.getHistory), and maximum number of pages. */
const [PAGE, MAX_PAGES] = [200, 10];
/** Maximum difference between VK's clock and ours, ms. */
const CLOCKS_MS = 300_000;
const SECOND_MS = 1_000;

const history = z.object({
  items: z.array(z.unknown()).transform((all) => all.map((each) => message.safeParse(each).data)),
});

/**
 * Whether a step has arrived. For an hour VK itself drops a repeat of its random_id; at any age, the chat's history
 * contains each message's.
 */
export function lookingUp({ api, context }: Login): NonNullable<ChannelSession["lookup"]> {
  return async (_, { chat, key, since }, signal) => {
    signal.throwIfAborted();
    const random = await knownRandomId(context, key);
    // Stored before the first call.
    if (random === undefined) return { found: "absent" };
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = { peer_id: chat, count: PAGE, offset: page * PAGE };
      const request = { method: "messages.getHistory", params, result: history, maxBytes: ANSWER_BYTES };
      const { items } = await api.call(request, signal);
      const found = items.find((each) => each?.random_id === random && each.from_id < 0);
      if (found) {
        const id = messageId(chat, found.conversation_message_id);
        const names = (await context.notes.get(attachedKey(id)))?.split(",") ?? typesOf(found.attachments);
        return { found: "arrived", parts: [partOf(names, id)] };
      }
      const oldest = items.at(-1);
      const isOlder = oldest && (oldest.date ?? Number.POSITIVE_INFINITY) * SECOND_MS < since - CLOCKS_MS;
      if (items.length < PAGE || isOlder) return { found: "absent" };
    }
    return { found: "unknown" };
  };
}

const typesOf = (attachments: Attachment[] | null | undefined): string[] => (attachments ?? []).map(({ type }) => type);
