import { z } from "zod";
import type { Core } from "../core.ts";
import { type Asked, chatWith, method } from "../method.ts";
import { bool, int, int64, ints, jsonIn, positive, text } from "../params.ts";
import { invalid, VkRefusal } from "../refusal.ts";
import { wireMessage } from "../wire.ts";
import { type Attachment, addMessage, byCmid, type Chat, type Keyboard, type Message } from "../world.ts";

const MAX_TEXT = 4_096;
const MAX_ATTACHMENTS = 10;
const MAX_PEERS = 100;
const SECOND_MS = 1_000;

const payload = z.union([z.string().max(255), z.record(z.string(), z.unknown())]).optional();
const action = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), label: z.string().min(1).max(40), payload }),
  z.strictObject({ type: z.literal("open_link"), label: z.string().min(1).max(40), link: z.url(), payload }),
  z.strictObject({ type: z.literal("callback"), label: z.string().min(1).max(40), payload }),
  z.strictObject({ type: z.literal("location"), payload }),
]);
const keyboardShape = z.strictObject({
  one_time: z.boolean().optional(),
  inline: z.boolean().optional(),
  buttons: z
    .array(
      z
        .array(
          z.strictObject({
            action,
            color: z.enum(["default", "primary", "secondary", "positive", "negative"]).optional(),
          }),
        )
        .min(1)
        .max(5),
    )
    .max(10),
});
const forwardShape = z.strictObject({
  owner_id: z.int().optional(),
  peer_id: z.int(),
  conversation_message_ids: z.array(z.int()).optional(),
  is_reply: z.union([z.boolean(), z.literal(1), z.literal(0)]).optional(),
});

const MAX_INLINE_ROWS = 6;
const MAX_INLINE_BUTTONS = 10;

/** Throws VkRefusal. */
export function keyboardIn(given: string | undefined): Keyboard | undefined {
  if (given === undefined || given === "") return undefined;
  let read: unknown;
  try {
    read = JSON.parse(given);
  } catch {
    throw new VkRefusal(911, "it is no JSON");
  }
  const keyboard = keyboardShape.safeParse(read);
  if (!keyboard.success) throw new VkRefusal(911, "buttons are invalid");
  const { buttons, inline } = keyboard.data;
  if (inline && (buttons.length > MAX_INLINE_ROWS || buttons.flat().length > MAX_INLINE_BUTTONS))
    throw new VkRefusal(911, "too many buttons for an inline keyboard");
  return keyboard.data as Keyboard;
}

/** `photo-1_2_key,doc-1_3`. Throws VkRefusal. */
export function attachmentsIn({ shelf }: Core, given: string | undefined): Attachment[] {
  const names = (given ?? "").split(",").filter(Boolean);
  if (names.length > MAX_ATTACHMENTS) throw new VkRefusal(914, "too many attachments");
  return names.map((name) => {
    const found = shelf.kept(name);
    if (!found) throw invalid(`attachment ${name} is not found`);
    return found as Attachment;
  });
}

const fields = {
  // Clients send 64 bits, too; VK keeps 32.
  random_id: int64.transform((given) => Number(BigInt.asIntN(32, given))).optional(),
  ...{ peer_id: int.optional(), peer_ids: ints.optional(), user_id: int.optional() },
  message: text.optional(),
  ...{
    attachment: text.optional(),
    keyboard: text.optional(),
    forward: text.optional(),
    payload: text.max(1000).optional(),
  },
  ...{ reply_to: int.optional(), dont_parse_links: bool.optional(), disable_mentions: bool.optional() },
  ...{ intent: text.optional(), lat: text.optional(), long: text.optional(), sticker_id: positive.optional() },
};
type Fields = z.infer<z.ZodObject<typeof fields>>;

/** One message to up to a hundred peers; with `peer_ids` a refusal for one of them stands in the list. */
export const sendMethod = method({
  ...{ name: "messages.send", right: "messages", fields },
  run(asked) {
    const { peer_ids: several, peer_id: one, user_id: user, random_id: random } = asked.fields;
    if (random === undefined) throw invalid("random_id is a required parameter");
    if (!several) return sentTo(asked, one ?? user).id;
    if (several.length > MAX_PEERS) throw invalid("peer_ids should have at most 100 items");
    return several.map((peer) => {
      try {
        const { id, cmid } = sentTo(asked, peer);
        return { peer_id: peer, message_id: id, conversation_message_id: cmid };
      } catch (error) {
        if (!(error instanceof VkRefusal) || error.code === 100) throw error;
        const refused = { code: error.code, description: error.message };
        return { peer_id: peer, message_id: 0, conversation_message_id: 0, error: refused };
      }
    });
  },
});

function sentTo(asked: Asked<Fields>, peer: number | undefined): Message {
  const { core, fields } = asked;
  const { memoryMs, perChatPerSecond } = core.switches.values();
  const chat = chatWith(asked, peer);
  const now = core.clock.now();
  const random = fields.random_id ?? 0;
  const known = chat.known.get(random);
  if (random !== 0 && known && now < known.at + memoryMs) return known.message;
  mustTake(core, chat);
  const recent = chat.messages.filter(({ from, at }) => from === "community" && at > now - SECOND_MS);
  if (perChatPerSecond > 0 && recent.length >= perChatPerSecond) throw new VkRefusal(9);
  const made = contentOf(asked, chat);
  const message = addMessage(chat, { ...made, from: "community", at: now, randomId: random });
  if (random !== 0) chat.known.set(random, { message, at: now });
  return message;
}

/** Throws VkRefusal if nobody may write to the customer now. */
function mustTake(core: Core, chat: Chat): void {
  const { windowMs } = core.switches.values();
  if (chat.isBlocked) throw new VkRefusal(900);
  if (!chat.isAllowed) throw new VkRefusal(901);
  const wrote = chat.messages.findLast(({ from }) => from === "customer")?.at ?? 0;
  if (chat.isExpired || (windowMs > 0 && core.clock.now() > wrote + windowMs)) throw new VkRefusal(950);
}

function contentOf({ core, fields }: Asked<Fields>, chat: Chat) {
  const { message = "", attachment, keyboard, forward, payload: own } = fields;
  if (message.length > MAX_TEXT) throw new VkRefusal(914);
  const attachments = attachmentsIn(core, attachment);
  if (message.trim() === "" && attachments.length === 0) throw invalid("message is empty or invalid");
  const keys = keyboardIn(keyboard);
  const reply = forward ? quoteIn(chat, forward) : undefined;
  return {
    ...{ text: message, attachments },
    ...(keys && { keyboard: keys }),
    ...(reply !== undefined && { reply }),
    ...(own !== undefined && { payload: own }),
  };
}

function quoteIn(chat: Chat, forward: string): number | undefined {
  const {
    peer_id: peer,
    conversation_message_ids: ids = [],
    is_reply: isReply,
  } = jsonIn("forward", forward, forwardShape);
  const [cmid] = ids;
  if (peer !== chat.person.id || cmid === undefined || !byCmid(chat, cmid)) throw new VkRefusal(921);
  return isReply ? cmid : undefined;
}

/** What the courier brings of a sent message: to the community's other apps, too. */
export function echoOf(core: Core, chat: Chat, message: Message): Promise<void> {
  const names = core.switches.values().echoNames;
  return core.courier.post(chat.community, "message_reply", wireMessage(chat, message, { names }));
}
