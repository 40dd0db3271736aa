import * as z from "zod";
import { MAX_FILES, TEXT_LENGTH } from "./wire.ts";

// The published contract: every event, in both directions. openapi.ts generates the document from these schemas.

const codePoints = (max: number) => (value: string) => [...value].length <= max;
/** Nor lone surrogates. */
const NO_CONTROL = /^[^\p{Cc}\p{Cs}]*$/u;

const idOf = (most: number) =>
  z
    .string()
    .min(1, "should not be empty")
    .max(most, `should have at most ${most} characters`)
    .regex(NO_CONTROL, "should have no control characters");
/** Chat and message together form one id at the gateway, of at most 255 characters. */
const [id, chatId] = [idOf(150), idOf(100)];
const chat = chatId.describe("Your id of the chat.");
const message = id.describe("Your id of the message, unique in its chat.");
const text = z
  .string()
  .refine(codePoints(TEXT_LENGTH), `should have at most ${TEXT_LENGTH} characters`)
  .meta({ maxLength: TEXT_LENGTH });
const name = z.string().max(255, "should have at most 255 characters");
const address = z
  .url({ protocol: /^https?$/, error: "should be a web address" })
  .max(2048, "should have at most 2048 characters");
const count = z.number().int().nonnegative();

const MARKS = ["bold", "italic", "underline", "strikethrough", "code", "pre", "link"] as const;
export const mark = z
  .object({
    type: z.enum(MARKS),
    offset: count.describe("In UTF-16 units, as JavaScript counts."),
    length: count.describe("In UTF-16 units."),
    url: z.string().max(2048, "should have at most 2048 characters").optional().describe("Of a link."),
    language: z.string().max(100, "should have at most 100 characters").optional().describe("Of `pre`."),
  })
  .describe("Formatting of a part of the text.");

const FILE_KINDS = ["image", "audio", "file"] as const;
const measures = {
  name: name.nullish().describe("File name."),
  mediaType: z.string().max(100).nullish().describe("Such as `image/png`."),
  width: count.nullish().describe("Pixels."),
  height: count.nullish().describe("Pixels."),
  duration: z.number().nonnegative().nullish().describe("Seconds."),
};
const inboundFile = z
  .object({
    url: address.nullish().describe("Where it is fetched from: https, without a port, not in a private network."),
    upload: z.string().max(100).nullish().describe("The id that an upload has given."),
    kind: z.enum(FILE_KINDS).nullish().describe("Default: by the media type."),
    ...measures,
  })
  .refine((file) => Boolean(file.url) !== Boolean(file.upload), "should have either url or upload")
  .describe("Either `url` or `upload`.");

const tag = z.string().max(255, "should have at most 255 characters").nullish();
export const customer = z
  .object({
    id: chatId.nullish().describe("Your id of the person. Default: that of the chat."),
    name: name.nullish(),
    firstName: name.nullish(),
    lastName: name.nullish(),
    phone: z.string().max(40, "should have at most 40 characters").nullish(),
    email: z.string().max(254, "should have at most 254 characters").nullish(),
    avatar: address.nullish().describe("Address of the picture."),
    profileUrl: address.nullish(),
    language: z.string().max(20).nullish().describe("Such as `en`."),
    utm: z.object({ source: tag, medium: tag, campaign: tag, term: tag, content: tag }).nullish(),
  })
  .describe("What is new or known of the customer.");

const inboundMessage = z
  .object({
    chat,
    id: message,
    from: z
      .enum(["customer", "staff"])
      .nullish()
      .describe("`staff`: one of your people has written to the customer, in your app. Default: `customer`."),
    customer: customer.nullish(),
    text: text.nullish(),
    marks: z.array(mark).max(500, "should be at most 500 marks").nullish(),
    files: z.array(inboundFile).max(MAX_FILES, `should be at most ${MAX_FILES} files`).nullish(),
    quote: z.object({ id: id.describe("The quoted message.") }).nullish(),
    page: address.nullish().describe("The page that the customer is on."),
  })
  .refine((body) => body.files?.length || body.text?.trim(), {
    path: ["text"],
    message: "should not be empty in a message without files",
  });

const envelope = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    type: z.literal(type),
    timestamp: z.iso
      .datetime({ offset: true, error: "should be a time such as 2026-11-29T12:00:00Z" })
      .nullish()
      .describe("When it happened. Default: now."),
    data,
  });

const REASONS = ["general", "customer_not_exists", "reply_timed_out", "spam_suspicion", "access_restricted"] as const;
/** Reasons for which an app may refuse a message. */
export const reasonCode = z.enum(REASONS);

/** Events that an app reports about its customers. */
export const inbound = {
  "message.created": envelope("message.created", inboundMessage).describe("A customer has written."),
  "message.edited": envelope(
    "message.edited",
    z.object({ chat, id: message, text: text.min(1, "should not be empty"), marks: z.array(mark).max(500).nullish() }),
  ).describe("A customer has changed a message. With files, `text` is their caption."),
  "message.deleted": envelope("message.deleted", z.object({ chat, id: message })).describe(
    "A customer has taken a message back.",
  ),
  "message.read": envelope("message.read", z.object({ chat, id })).describe(
    "The customer has read an agent's message.",
  ),
  "message.failed": envelope(
    "message.failed",
    z.object({
      chat,
      id,
      reason: z.string().min(1).max(500).describe("For the agent."),
      code: reasonCode.nullish(),
    }),
  ).describe("An agent's message that you had accepted did not reach the customer."),
  "reaction.changed": envelope(
    "reaction.changed",
    z.object({ chat, id, reaction: z.string().min(1).max(32).nullable().describe("An emoji; null: removed.") }),
  ).describe("The customer has reacted to a message, or no longer does."),
};
export const inboundEvent = z.discriminatedUnion(
  "type",
  [
    inbound["message.created"],
    inbound["message.edited"],
    inbound["message.deleted"],
    inbound["message.read"],
    inbound["message.failed"],
    inbound["reaction.changed"],
  ],
  { error: `should be one of ${Object.keys(inbound).join(", ")}` },
);
export type InboundEvent = z.infer<typeof inboundEvent>;
export type InboundOf<Type extends InboundEvent["type"]> = Extract<InboundEvent, { type: Type }>;
export type InboundFile = z.infer<typeof inboundFile>;

export const money = z.object({ value: z.number(), currency: z.string().describe("ISO 4217.") });
const optional = z.string().optional();
export const product = z.object({
  id: z.number(),
  name: z.string(),
  ...{ article: optional, url: optional, image: optional, unit: optional },
  cost: money.optional(),
});
export const order = z.object({
  ...{ number: optional, url: optional, date: optional, status: optional },
  ...{ cost: money.optional(), discount: money.optional() },
  items: z.array(
    z.object({
      name: z.string(),
      quantity: z.number().optional(),
      ...{ unit: optional, price: money.optional(), url: optional },
    }),
  ),
  delivery: z
    .object({ ...{ name: optional, address: optional, comment: optional }, price: money.optional() })
    .optional(),
  payments: z.array(z.object({ ...{ name: optional, status: optional }, amount: money.optional() })).optional(),
});
const button = z
  .object({
    type: z.enum(["text", "phone", "email", "url"]),
    title: z.string(),
    payload: z.string().optional().describe("Of `url`: the address."),
  })
  .describe(
    "`text`: an answer to send as it is. `phone`, `email`: ask for it; the answer comes in `customer`. `url`: a link.",
  );
const outboundFile = z
  .object({
    url: z.string().describe("Its bytes are there for as long as the server keeps chats, to whoever has the address."),
    name: z.string().optional(),
    mediaType: z.string().optional(),
    size: count.optional().describe("Bytes."),
    width: count.optional().describe("Pixels."),
    height: count.optional().describe("Pixels."),
    duration: z.number().optional().describe("Seconds."),
    caption: z.string().optional(),
  })
  .describe("A file of an agent.");

const outboundMessage = z.object({
  chat: z.string(),
  id: z.string().describe("Our id of the message. Answer with an id of your own, and later events name that one."),
  kind: z.enum(["text", "image", "file", "audio"]).describe("Of the files."),
  text: z.string().describe("May be empty beside files."),
  marks: z.array(mark),
  files: z.array(outboundFile),
  buttons: z.array(button),
  quote: z.object({ id: z.string().optional(), text: z.string().optional() }).optional(),
  author: z.object({ name: z.string(), avatar: z.string().optional(), bot: z.boolean() }).optional(),
  product: product.optional().describe("What `text` says, as it is in the CRM."),
  order: order.optional().describe("What `text` says, as it is in the CRM."),
});

const told = <Type extends string, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({
    id: z.string().describe("The same in a repeat, as the header `webhook-id`."),
    type: z.literal(type),
    timestamp: z.iso.datetime(),
    data,
  });
const named = z.object({ chat: z.string(), id: z.string() });

/** Events that an app receives. */
export const outbound = {
  "channel.connected": told(
    "channel.connected",
    z.object({ name: z.string(), door: z.string().describe("The channel's address, where you send events.") }),
  ).describe("Somebody has saved the channel: answer with 2xx, and the address counts as yours."),
  "message.created": told("message.created", outboundMessage).describe("An agent has written to the customer."),
  "message.edited": told(
    "message.edited",
    named.extend({ text: z.string(), marks: z.array(mark), buttons: z.array(button) }),
  ).describe("An agent has changed a message. With files, `text` is their caption."),
  "message.deleted": told("message.deleted", named).describe("An agent has deleted a message."),
  "message.delivered": told("message.delivered", named).describe("The CRM has the customer's message."),
  "message.read": told("message.read", named).describe("An agent has read the customer's message."),
  "reaction.changed": told("reaction.changed", named.extend({ reaction: z.string().nullable() })).describe(
    "An agent has reacted to the customer's message, or no longer does.",
  ),
};
export const outboundEvent = z.discriminatedUnion("type", [
  outbound["channel.connected"],
  outbound["message.created"],
  outbound["message.edited"],
  outbound["message.deleted"],
  outbound["message.delivered"],
  outbound["message.read"],
  outbound["reaction.changed"],
]);
export type OutboundEvent = z.infer<typeof outboundEvent>;
/** Without the fields that all have. */
export type Told = {
  [Type in OutboundEvent["type"]]: Pick<Extract<OutboundEvent, { type: Type }>, "type" | "data">;
}[OutboundEvent["type"]];
export type OutboundMessage = z.infer<typeof outboundMessage>;

/** The app's answer to a callback: it may be empty. */
export const callbackAnswer = z.object({ id: id.optional().describe("Your id of the message.") });
/** The app's refusal, which the agent reads. */
export const callbackRefusal = z.object({
  error: z.object({ message: z.string().min(1), code: reasonCode.optional().catch(undefined) }),
});

export const accepted = z.object({ id: z.string().describe("The event's `webhook-id`.") });
export const page = z.object({
  events: z.array(outboundEvent).describe("Oldest first."),
  cursor: z.string().describe("Ask for what comes next with `after`. Keep it."),
  more: z.boolean().describe("There is more already."),
});
export const uploadRequest = z.object({
  chat,
  name: name.min(1, "should not be empty"),
  mediaType: z.string().max(100, "should have at most 100 characters"),
});
export const uploadOffer = z.object({
  url: z.string().describe("POST the file's bytes there, unsigned, within an hour."),
  maxBytes: count,
});
export const uploaded = z.object({
  upload: z.string().describe("Name it in a message within a day."),
  name: z.string(),
  mediaType: z.string().describe("As its bytes say."),
  size: count,
});
export const refusal = z.object({
  error: z.object({
    message: z.string(),
    fields: z
      .array(z.object({ path: z.string().describe("Such as `data.text`."), message: z.string() }))
      .optional()
      .describe("Each field that is wrong."),
  }),
});
