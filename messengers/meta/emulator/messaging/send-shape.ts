import { z } from "zod";

// The body of POST /{account}/messages. Strict: Graph refuses keys that it does not know.

const text = (max: number, min = 1) => z.string().min(min).max(max);
const postback = z.strictObject({ type: z.literal("postback"), title: text(20), payload: text(1000) });
const webUrl = z.strictObject({
  type: z.literal("web_url"),
  title: text(20),
  url: z.url({ protocol: /^https?$/ }),
  webview_height_ratio: z.enum(["compact", "tall", "full"]).optional(),
  messenger_extensions: z.boolean().optional(),
  fallback_url: z.string().optional(),
  webview_share_button: z.string().optional(),
});
const phoneNumber = z.strictObject({ type: z.literal("phone_number"), title: text(20), payload: text(1000) });
const button = (hasPhone: boolean) =>
  z.discriminatedUnion("type", hasPhone ? [postback, webUrl, phoneNumber] : [postback, webUrl]);

const template = (hasPhone: boolean) => {
  const buttons = z.array(button(hasPhone)).min(1).max(3);
  const element = z.strictObject({
    title: text(80),
    subtitle: text(80, 0).optional(),
    image_url: z.string().optional(),
    default_action: webUrl.omit({ title: true }).optional(),
    buttons: buttons.optional(),
  });
  const shared = { sharable: z.boolean().optional(), image_aspect_ratio: z.enum(["horizontal", "square"]).optional() };
  const generic = { template_type: z.literal("generic"), elements: z.array(element).min(1).max(10), ...shared };
  const plain = { template_type: z.literal("button"), text: text(640), buttons };
  return z.discriminatedUnion("template_type", [z.strictObject(generic), z.strictObject(plain)]);
};
const media = z.strictObject({
  url: text(8_192).optional(),
  attachment_id: z.union([text(100), z.int().transform(String)]).optional(),
  is_reusable: z.boolean().optional(),
});
const file = z.strictObject({ type: z.enum(["image", "video", "audio", "file"]), payload: media.default({}) });

const quickReply = z.strictObject({
  content_type: z.literal("text"),
  title: text(20),
  payload: text(1000),
  image_url: z.string().optional(),
});
const asked = z.strictObject({
  content_type: z.enum(["user_phone_number", "user_email"]),
  title: z.string().optional(),
});
const replyTo = z.strictObject({ mid: text(1000) });

export interface Options {
  /** In the unit that the schema counts; bytes are the network's own rule. */
  maxText: number;
  /** Phone buttons, quick replies that ask for a phone or an e-mail, a grid of images. */
  isPage: boolean;
}
/** The body of POST /{account}/messages. */
export function sendShape({ maxText, isPage }: Options) {
  const attachment = z.discriminatedUnion("type", [
    file,
    z.strictObject({ type: z.literal("template"), payload: template(isPage) }),
  ]);
  const replies = isPage ? z.discriminatedUnion("content_type", [quickReply, asked]) : quickReply;
  const message = z.strictObject({
    text: text(maxText).optional(),
    attachment: attachment.optional(),
    attachments: z.array(file).min(2).max(6).optional(),
    quick_replies: z.array(replies).min(1).max(13).optional(),
    metadata: z.string().max(1000).optional(),
    reply_to: replyTo.optional(),
  });
  const id = z.union([text(100), z.int().transform(String)]);
  return z.strictObject({
    recipient: z.strictObject({ id: id.optional(), comment_id: id.optional() }),
    messaging_type: z.enum(["RESPONSE", "UPDATE", "MESSAGE_TAG", "UTILITY"]).optional(),
    tag: z.string().optional(),
    message: message.optional(),
    reply_to: replyTo.optional(),
    sender_action: z.enum(["typing_on", "typing_off", "mark_seen", "react", "unreact"]).optional(),
    payload: z.strictObject({ message_id: text(1000), reaction: text(100).optional() }).optional(),
    notification_type: z.enum(["REGULAR", "SILENT_PUSH", "NO_PUSH"]).optional(),
    persona_id: z.unknown().optional(),
  });
}
export type SendBody = z.infer<ReturnType<typeof sendShape>>;
export type SentMessage = NonNullable<SendBody["message"]>;
export type SentFile = z.infer<typeof file>;
export const uploadShape = z.strictObject({
  message: z.strictObject({ attachment: file }),
  platform: z.enum(["instagram", "messenger", "INSTAGRAM", "MESSENGER"]).optional(),
});
