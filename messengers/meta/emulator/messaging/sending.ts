import type { Asked, Operation } from "../graph.ts";
import { refusal, unserved } from "../graph-error.ts";
import type { Token } from "../tokens.ts";
import { act } from "./actions.ts";
import { addMessage, type NewMessage } from "./chats.ts";
import { arrive, echo } from "./events.ts";
import type { Platform } from "./network.ts";
import { checkRate } from "./pace.ts";
import { messagingAccount, readBody } from "./reading.ts";
import { recipientOf } from "./recipient.ts";
import { words } from "./refusals.ts";
import { type SendBody, type SentFile, type SentMessage, uploadShape } from "./send-shape.ts";
import { sentAttachment, uploadOf } from "./uploads.ts";
import { checkWindow } from "./window.ts";
import { type Account, type Attachment, type Chat, type Choice, emailOf, type Message, phoneOf } from "./world.ts";

/** POST /{account}/messages and /{account}/message_attachments. */
export function sendingOperations(platform: Platform): Operation[] {
  return [
    { id: "send", method: "POST", path: "/:accountId/messages", run: (asked) => send(platform, asked) },
    {
      id: "uploadAttachment",
      method: "POST",
      path: "/:accountId/message_attachments",
      run: (asked) => upload(platform, asked),
    },
  ];
}

async function send(platform: Platform, asked: Asked): Promise<object> {
  const { account, token } = messagingAccount(platform, asked);
  const body = readBody(platform.network.shape, asked);
  const fault = platform.network.fault(body);
  if (fault) throw fault;
  if (body.persona_id !== undefined) throw unserved("persona_id");
  const chat = recipientOf(platform, account, body.recipient);
  checkThread(account, chat, token);
  if (body.sender_action !== undefined) return act(platform, chat, body);
  if (!body.message) throw refusal(100, "The parameter message is required.");
  checkWindow(platform, chat, token, body);
  checkRate(platform, account, body.message, asked.headers);
  const { attachments, attachmentId } = await attachmentsOf(platform, account, body.message, asked);
  const message = addMessage(platform, chat, { ...contentOf(chat, body, body.message), attachments, app: token.app });
  if (body.recipient.comment_id) markReplied(platform, body.recipient.comment_id);
  chat.typingUntil = 0;
  await leave(platform, chat, message);
  return {
    recipient_id: chat.scopedId,
    message_id: message.mid,
    ...(attachmentId !== undefined && { attachment_id: attachmentId }),
  };
}

function checkThread({ restriction }: Account, { owner }: Chat, token: Token): void {
  if (restriction === "368") throw words(368);
  if (restriction === "1893063") throw words(10, 1893063);
  if (owner !== undefined && owner !== token.app) throw words(10, 2018300);
}

const markReplied = ({ world }: Platform, id: string): void => {
  const comment = world.comments.get(id);
  if (comment) comment.hasReply = true;
};

async function leave(platform: Platform, chat: Chat, message: Message): Promise<void> {
  const { clock } = platform.core;
  const returns = async () => {
    await echo(platform, chat, message);
    await arrive(platform, chat);
  };
  const { echoAfterMs } = platform.values();
  if (echoAfterMs === 0) await returns();
  else clock.after(echoAfterMs, () => void returns());
}

function contentOf(chat: Chat, { reply_to, notification_type }: SendBody, message: SentMessage): NewMessage {
  const mid = reply_to?.mid ?? message.reply_to?.mid;
  if (mid !== undefined && !chat.messages.some((each) => each.mid === mid))
    throw refusal(100, "Invalid message id in reply_to.");
  const replies = (message.quick_replies ?? []).map((reply): Choice => {
    if (reply.content_type === "text") {
      const { title, payload, image_url: image } = reply;
      return { title, payload, ...(image !== undefined && { image }) };
    }
    // The phone shows the person's own, whatever the title.
    const own = (reply.content_type === "user_phone_number" ? phoneOf : emailOf)(chat.person);
    return { title: own, payload: own };
  });
  return {
    from: "account",
    ...(notification_type !== undefined && { notification: notification_type }),
    ...(message.text !== undefined && { text: message.text }),
    ...(message.metadata !== undefined && { metadata: message.metadata }),
    ...(mid !== undefined && { replyTo: { mid } }),
    choices: replies,
    buttons: buttonsOf(message),
  };
}

/** Postback buttons of a template. */
function buttonsOf({ attachment }: SentMessage): Choice[] {
  if (attachment?.type !== "template") return [];
  const { payload } = attachment;
  const all =
    payload.template_type === "button" ? payload.buttons : payload.elements.flatMap(({ buttons = [] }) => buttons);
  return all.flatMap((each) => (each.type === "postback" ? [{ title: each.title, payload: each.payload }] : []));
}

async function attachmentsOf(
  platform: Platform,
  account: Account,
  message: SentMessage,
  asked: Asked,
): Promise<{ attachments: Attachment[]; attachmentId?: string }> {
  const { attachment, attachments: grid } = message;
  const given = [message.text, attachment, grid].filter((each) => each !== undefined);
  if (given.length === 0) throw words(100, 2018034);
  if (given.length > 1)
    throw refusal(100, "Only one of the text, attachment, and attachments params can be specified.");
  if (attachment?.type === "template")
    return { attachments: [{ type: "template", payload: { ...attachment.payload } }] };
  const files: SentFile[] = attachment ? [attachment] : (grid ?? []);
  const sent: Attachment[] = [];
  let attachmentId: string | undefined;
  for (const file of files) {
    const { id, upload } = await uploadOf(platform, account, file, asked.files.get("filedata"));
    sent.push(sentAttachment(platform, upload));
    if (file.payload.is_reusable) attachmentId = id;
  }
  return { attachments: sent, ...(attachmentId !== undefined && { attachmentId }) };
}

async function upload(platform: Platform, asked: Asked): Promise<object> {
  const { account } = messagingAccount(platform, asked);
  const { message, platform: network } = readBody(uploadShape, asked);
  const own = platform.network.object === "page" ? "messenger" : "instagram";
  if (network !== undefined && network.toLowerCase() !== own) throw unserved(`files for ${network} here`);
  const { id } = await uploadOf(platform, account, message.attachment, asked.files.get("filedata"));
  return { attachment_id: id };
}
