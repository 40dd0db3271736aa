import { z } from "zod";
import { formattedText, type NewMessage, readNewMessage, shownAttachments } from "./body-shape.ts";
import { type Asked, dialogById, type Operation } from "./operations.ts";
import type { Platform } from "./platform.ts";
import { badPayload, MaxRefusal, missing, notFound, suspended, tooMany } from "./refusal.ts";
import { messageView } from "./views.ts";
import { addMessage, type Dialog, dialogOf, findMessage, type Message } from "./world.ts";

const PER_CHAT = 2;
const HOUR_MS = 3_600_000;

export function messageOperations(platform: Platform): Operation[] {
  const { clock, world } = platform;
  const view = (dialog: Dialog, message: Message) => messageView(dialog, message, clock.now());
  return [
    { id: "getMessages", method: "GET", path: "/messages", run: (asked) => list(platform, asked) },
    {
      id: "sendMessage",
      method: "POST",
      path: "/messages",
      run(asked) {
        const { dialog, message } = send(platform, asked);
        return { message: view(dialog, message) };
      },
    },
    { id: "editMessage", method: "PUT", path: "/messages", run: (asked) => edit(platform, asked) },
    { id: "deleteMessage", method: "DELETE", path: "/messages", run: (asked) => remove(platform, asked) },
    {
      id: "getMessageById",
      method: "GET",
      path: "/messages/:messageId{[\\w.-]+}",
      run({ bot, path }) {
        const found = findMessage(world, path.messageId ?? "");
        if (found?.dialog.bot !== bot) throw notFound("message");
        return view(found.dialog, found.message);
      },
    },
    { id: "answerOnCallback", method: "POST", path: "/answers", run: (asked) => answer(asked) },
  ];
}

/** Where a message goes. Throws MaxRefusal. */
function recipient(platform: Platform, { bot, query }: Asked): Dialog {
  const { chat_id: chat, user_id: user } = query;
  if (chat === undefined && user === undefined) throw missing("chat_id");
  if (chat === "0") throw new MaxRefusal(403, "chat.denied", "Invalid chatId: 0");
  const person = platform.world.people.find(({ id }) => String(id) === user);
  if (chat === undefined && !person) throw notFound("user");
  const dialog = chat === undefined && person ? dialogOf(platform.world, bot, person) : undefined;
  const found = dialog ?? dialogById(platform, bot, chat ?? "");
  if (found.status !== "active") throw suspended(found.chatId);
  return found;
}

function send(platform: Platform, asked: Asked): { dialog: Dialog; message: Message } {
  const dialog = recipient(platform, asked);
  const given = readNewMessage(asked.body, platform.switches().textUnit);
  // (u): the words.
  if (!given.text && (given.attachments ?? []).length === 0) throw badPayload("Message must have text or attachments");
  const link = linkOf(platform, given);
  if (platform.switches().paced && !platform.rates.take(`chat ${dialog.chatId}`, PER_CHAT)) throw tooMany();
  const attachments = shownAttachments(platform, given.attachments ?? []);
  const words = formattedText(given);
  const message = addMessage(dialog, platform.clock.now(), { from: "bot", attachments, ...words, ...link });
  dialog.typing = undefined;
  return { dialog, message };
}

function linkOf({ world }: Platform, { link }: NewMessage): Pick<Message, "link"> {
  if (!link) return {};
  const found = findMessage(world, link.mid);
  if (!found) throw notFound("message");
  const { dialog, message } = found;
  return { link: { type: link.type, message, sender: message.from === "bot" ? dialog.bot : dialog.person } };
}

/** The bot's own message, while it may be changed. A refusal stands in the answer. Throws MaxRefusal. */
function changeable({ world, clock, switches }: Platform, { bot, query }: Asked): Message | { refused: string } {
  if (!query.message_id) throw missing("message_id");
  const found = findMessage(world, query.message_id);
  if (found?.dialog.bot !== bot) throw notFound("message");
  // (u): the window, and the words of both refusals.
  if (found.message.from !== "bot") return { refused: "Bot can change its own messages only" };
  if (clock.now() - found.message.at > switches().editHours * HOUR_MS) return { refused: "Message is too old" };
  return found.message;
}

function edit(platform: Platform, asked: Asked): object {
  const given = readNewMessage(asked.body, platform.switches().textUnit);
  const message = changeable(platform, asked);
  if ("refused" in message) return { success: false, message: message.refused };
  // Attachments: null keeps them, an empty list takes them away.
  if (given.attachments) message.attachments = shownAttachments(platform, given.attachments);
  if (given.text !== null && given.text !== undefined)
    Object.assign(message, formattedText(given), { text: formattedText(given).text ?? "" });
  message.isEdited = true;
  return { success: true };
}

function remove(platform: Platform, asked: Asked): object {
  const message = changeable(platform, asked);
  if ("refused" in message) return { success: false, message: message.refused };
  message.isDeleted = true;
  return { success: true };
}

const [MAX_COUNT, DEFAULT_COUNT] = [100, 50];
const count = z.coerce.number().int().min(1).max(MAX_COUNT);

/** Newest first; `from` is the newer end, `to` the older. */
function list(platform: Platform, { bot, query }: Asked): object {
  const { chat_id: chat, message_ids: ids } = query;
  if (!chat && !ids) throw missing("chat_id");
  const view = (dialog: Dialog, message: Message) => messageView(dialog, message, platform.clock.now());
  if (ids) {
    const found = ids.split(",").flatMap((mid) => findMessage(platform.world, mid) ?? []);
    return {
      messages: found.filter(({ dialog }) => dialog.bot === bot).map((each) => view(each.dialog, each.message)),
    };
  }
  const dialog = dialogById(platform, bot, chat ?? "");
  if (dialog.status !== "active") throw suspended(dialog.chatId);
  if (platform.switches().history === "denied") throw new MaxRefusal(403, "chat.denied", "Access denied");
  const most = count.safeParse(query.count ?? DEFAULT_COUNT);
  // (u): the words.
  if (!most.success) throw badPayload(`Field 'count' value (${query.count}) must be at most ${MAX_COUNT}`);
  const [from, to] = [Number(query.from ?? Number.POSITIVE_INFINITY), Number(query.to ?? 0)];
  const found = dialog.messages.filter(({ at, isDeleted }) => !isDeleted && at <= from && at >= to);
  return {
    messages: found
      .toReversed()
      .sort((one, other) => other.at - one.at)
      .slice(0, most.data)
      .map((message) => view(dialog, message)),
  };
}

const callbackAnswer = z.strictObject({ message: z.unknown().optional(), notification: z.string().nullish() });

function answer({ query, body }: Asked): object {
  if (!query.callback_id?.trim()) throw missing("callback_id");
  const parsed = callbackAnswer.safeParse(body ?? {});
  if (!parsed.success || (!parsed.data.message && !parsed.data.notification))
    throw badPayload("Invalid request. `message` or `notification` required");
  return { success: true };
}
