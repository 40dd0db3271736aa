import type { Core } from "../core.ts";
import { type Asked, chatWith, method } from "../method.ts";
import { bool, int, ints, positive, text } from "../params.ts";
import { VkRefusal } from "../refusal.ts";
import { wireMessage } from "../wire.ts";
import { byCmid, type Chat, type Message } from "../world.ts";
import { attachmentsIn, keyboardIn } from "./sending.ts";

/** Reactions that VK has. */
const MAX_REACTION = 64;
const MAX_TEXT = 4_096;
const TYPING_MS = 10_000;

function messageIn(asked: Asked<unknown>, peer: number | undefined, cmid: number | undefined): [Chat, Message] {
  const chat = chatWith(asked, peer);
  const found = cmid === undefined ? undefined : byCmid(chat, cmid);
  if (!found) throw new VkRefusal(100, "message not found");
  return [chat, found];
}
const isLate = (core: Core, { at }: Message): boolean => core.clock.now() >= at + core.switches.values().changeMs;

const edit = method({
  ...{ name: "messages.edit", right: "messages" },
  fields: {
    ...{ peer_id: int, cmid: positive.optional(), message: text.optional(), attachment: text.optional() },
    ...{ keep_forward_messages: bool.optional(), keep_snippets: bool.optional(), keyboard: text.optional() },
    ...{ dont_parse_links: bool.optional(), disable_mentions: bool.optional() },
  },
  async run(asked) {
    const { core, fields } = asked;
    const { message: words = "", attachment, keyboard } = fields;
    const [chat, message] = messageIn(asked, fields.peer_id, fields.cmid);
    if (message.from !== "community") throw new VkRefusal(920);
    if (message.attachments.some(({ type }) => type === "audio_message")) throw new VkRefusal(920);
    if (isLate(core, message)) throw new VkRefusal(909);
    if (words.length > MAX_TEXT) throw new VkRefusal(914);
    // What is not given again is gone.
    const attachments = attachmentsIn(core, attachment);
    if (words.trim() === "" && attachments.length === 0) throw new VkRefusal(100, "message is empty or invalid");
    Object.assign(message, { text: words, attachments, keyboard: keyboardIn(keyboard), editedAt: core.clock.now() });
    if (fields.keep_forward_messages !== true) message.reply = undefined;
    const names = core.switches.values().echoNames;
    await core.courier.post(chat.community, "message_edit", wireMessage(chat, message, { names }));
    return 1;
  },
});

const erase = method({
  ...{ name: "messages.delete", right: "messages" },
  fields: { peer_id: int, cmids: ints, delete_for_all: bool.optional(), message_ids: ints.optional() },
  run(asked) {
    const { core, fields } = asked;
    const chat = chatWith(asked, fields.peer_id);
    return fields.cmids.map((cmid) => {
      const about = { peer_id: fields.peer_id, conversation_message_id: cmid };
      const found = byCmid(chat, cmid);
      if (!found) return { ...about, response: 0, error: { code: 100, description: "message not found" } };
      if (fields.delete_for_all !== true) return { ...about, message_id: found.id, response: 1 };
      if (isLate(core, found) || found.from === "customer") throw new VkRefusal(924);
      found.isDeleted = true;
      return { ...about, message_id: found.id, response: 1 };
    });
  },
});

const read = method({
  ...{ name: "messages.markAsRead", right: "messages" },
  fields: { peer_id: int, up_to_cmid: positive.optional(), mark_conversation_as_read: bool.optional() },
  run(asked) {
    const chat = chatWith(asked, asked.fields.peer_id);
    chat.readBy.community = Math.max(chat.readBy.community, asked.fields.up_to_cmid ?? chat.lastCmid);
    return 1;
  },
});

const react = method({
  ...{ name: "messages.sendReaction", right: "messages" },
  fields: { peer_id: int, cmid: positive, reaction_id: positive },
  run(asked) {
    const { peer_id: peer, cmid, reaction_id: reaction } = asked.fields;
    if (reaction < 1 || reaction > MAX_REACTION) throw new VkRefusal(1009);
    const [, message] = messageIn(asked, peer, cmid);
    message.reactions.community = reaction;
    return 1;
  },
});

const unreact = method({
  ...{ name: "messages.deleteReaction", right: "messages" },
  fields: { peer_id: int, cmid: positive },
  run(asked) {
    const [, message] = messageIn(asked, asked.fields.peer_id, asked.fields.cmid);
    message.reactions.community = undefined;
    return 1;
  },
});

const typing = method({
  ...{ name: "messages.setActivity", right: "messages" },
  fields: { peer_id: int, type: text.optional() },
  run(asked) {
    chatWith(asked, asked.fields.peer_id).typingUntil = asked.core.clock.now() + TYPING_MS;
    return 1;
  },
});

const answerEvent = method({
  ...{ name: "messages.sendMessageEventAnswer", right: "messages" },
  fields: { event_id: text, user_id: int, peer_id: int, event_data: text.max(1000).optional() },
  run(asked) {
    chatWith(asked, asked.fields.peer_id);
    return 1;
  },
});

export const changingMethods = [edit, erase, read, react, unreact, typing, answerEvent];
