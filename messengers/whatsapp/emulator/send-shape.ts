import { jsonOf } from "gangway-meta/emulator/graph";
import { unserved } from "gangway-meta/emulator/graph-error";
import { z } from "zod";
import { badParam, notValid, waRefusal } from "./codes.ts";

// The body of POST /{phone number id}/messages. Strict: Graph refuses keys that it does not know.

const text = (max: number, min = 1) => z.string().min(min).max(max);
const media = <Shape extends z.ZodRawShape>(more: Shape) =>
  z.strictObject({ id: text(200).optional(), link: text(8_192).optional(), ...more });
const caption = text(1024, 0).optional();

const header = z.strictObject({
  type: z.enum(["text", "image", "video", "document"]),
  text: text(60).optional(),
  sub_text: text(60).optional(),
  image: media({}).optional(),
  video: media({}).optional(),
  document: media({ filename: text(240).optional() }).optional(),
});
const body = (max: number) => z.strictObject({ text: text(max) });
const footer = z.strictObject({ text: text(60) }).optional();
const rich = { header: header.optional(), body: body(1024), footer };

const reply = z.strictObject({ type: z.literal("reply"), reply: z.strictObject({ id: text(256), title: text(20) }) });
const row = z.strictObject({ id: text(200), title: text(24), description: text(72, 0).optional() });
const section = z.strictObject({ title: text(24, 0).optional(), rows: z.array(row).min(1) });
const products = z.strictObject({
  title: text(24, 0).optional(),
  product_items: z
    .array(z.strictObject({ product_retailer_id: text(100) }))
    .min(1)
    .max(30),
});
const named = (name: string) => z.strictObject({ name: z.literal(name) });

/** `interactive` by its type. */
const INTERACTIVE = {
  button: z.strictObject({ type: z.string(), ...rich, action: z.strictObject({ buttons: z.array(reply) }) }),
  list: z.strictObject({
    type: z.string(),
    ...rich,
    body: body(4096),
    action: z.strictObject({ button: text(20), sections: z.array(section).min(1).max(10) }),
  }),
  cta_url: z.strictObject({
    type: z.string(),
    ...rich,
    action: z.strictObject({
      name: z.literal("cta_url"),
      parameters: z.strictObject({ display_text: text(20), url: text(2000) }),
    }),
  }),
  location_request_message: z.strictObject({ type: z.string(), body: body(1024), action: named("send_location") }),
  request_contact_info: z.strictObject({ type: z.string(), ...rich, action: named("request_contact_info") }),
  call_permission_request: z.strictObject({
    type: z.string(),
    body: body(1024).optional(),
    action: named("call_permission_request"),
  }),
  product: z.strictObject({
    type: z.string(),
    body: body(1024).optional(),
    footer,
    action: z.strictObject({ catalog_id: text(100), product_retailer_id: text(100) }),
  }),
  product_list: z.strictObject({
    type: z.string(),
    ...rich,
    header,
    action: z.strictObject({ catalog_id: text(100), sections: z.array(products).min(1).max(10) }),
  }),
  catalog_message: z.strictObject({
    type: z.string(),
    body: body(1024),
    footer,
    action: z.strictObject({
      name: z.literal("catalog_message"),
      parameters: z.strictObject({ thumbnail_product_retailer_id: text(100).optional() }).optional(),
    }),
  }),
} as const;

const parameter = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  parameter_name: z.string().optional(),
});
const component = z.strictObject({
  type: z.string(),
  sub_type: z.string().optional(),
  index: z.union([z.int(), z.string()]).optional(),
  parameters: z.array(parameter).optional(),
  cards: z.array(z.looseObject({})).optional(),
});
const template = z.strictObject({
  name: text(512),
  language: z.strictObject({ code: text(15), policy: z.literal("deterministic").optional() }),
  components: z.array(component).optional(),
});
export type SentTemplate = z.infer<typeof template>;
export type SentComponent = z.infer<typeof component>;

const coordinate = (max: number) => z.coerce.number().min(-max).max(max);
const phone = z.strictObject({
  phone: z.string().optional(),
  wa_id: z.string().optional(),
  type: z.string().optional(),
});
const contact = z.strictObject({
  addresses: z.array(z.looseObject({})).optional(),
  birthday: z.iso.date().optional(),
  emails: z.array(z.strictObject({ email: z.string(), type: z.string().optional() })).optional(),
  name: z.strictObject({
    formatted_name: text(1000),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    middle_name: z.string().optional(),
    prefix: z.string().optional(),
    suffix: z.string().optional(),
  }),
  org: z.looseObject({}).optional(),
  phones: z.array(phone).optional(),
  urls: z.array(z.strictObject({ url: z.string(), type: z.string().optional() })).optional(),
});

/** What each type carries under its own name. */
const CONTENT = {
  text: z.strictObject({ body: text(4096), preview_url: z.boolean().optional() }),
  image: media({ caption }),
  video: media({ caption }),
  audio: media({ voice: z.boolean().optional() }),
  document: media({ caption, filename: text(240).optional() }),
  sticker: media({}),
  location: z.strictObject({
    latitude: coordinate(90),
    longitude: coordinate(180),
    name: z.string().optional(),
    address: z.string().optional(),
  }),
  contacts: z.array(contact).min(1).max(257),
  reaction: z.strictObject({ message_id: text(500), emoji: z.string().optional() }),
  template,
} as const;
export type SentType = keyof typeof CONTENT | "interactive";
export const SENT_TYPES: readonly SentType[] = [...(Object.keys(CONTENT) as SentType[]), "interactive"];

const envelope = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  recipient_type: z.enum(["individual", "group"]).optional(),
  to: z.string().optional(),
  recipient: z.string().optional(),
  type: z.string().optional(),
  context: z.strictObject({ message_id: text(500) }).optional(),
  biz_opaque_callback_data: text(512, 0).optional(),
});
export type Envelope = z.infer<typeof envelope>;

export interface SentContent {
  type: SentType;
  /** Wire shape under the type's name. */
  [name: string]: unknown;
}
export interface Sent {
  envelope: Envelope;
  content: SentContent;
}

const readMark = z.strictObject({
  messaging_product: z.literal("whatsapp"),
  status: z.literal("read"),
  message_id: text(500),
  typing_indicator: z.strictObject({ type: z.literal("text") }).optional(),
});
export type ReadMark = z.infer<typeof readMark>;

/** Throws GraphRefusal. */
export const readMarkOf = (body: Record<string, unknown>): ReadMark => parse(readMark, body, []);

/** Throws GraphRefusal in Graph's words. */
export function sentOf(body: Record<string, unknown>): Sent {
  if (body.messaging_product !== "whatsapp") throw badParam("The parameter messaging_product is required.");
  if (body.to === undefined && body.recipient === undefined) throw badParam("The parameter to is required.");
  const type = body.type ?? "text";
  if (!SENT_TYPES.includes(type as SentType)) {
    const known = SENT_TYPES.map((each) => each.toUpperCase())
      .sort()
      .join(", ");
    throw badParam(`Param type must be one of {${known}} - got "${String(type)}".`);
  }
  const name = type as SentType;
  const { [name]: given, ...rest } = body;
  if (rest.recipient_identity_key_hash !== undefined) throw unserved("recipient_identity_key_hash");
  const own = jsonOf(given);
  const read = parse(envelope, { ...rest, ...(rest.context !== undefined && { context: jsonOf(rest.context) }) }, []);
  if (own === undefined) throw waRefusal(131008, `Parameter '${name}' is mandatory for type '${name}'`);
  const shape = name === "interactive" ? interactiveShape(own) : CONTENT[name];
  const content = parse<unknown>(shape, own, [name]);
  checkMedia(name, content);
  if (name === "interactive") checkInteractive(content as InteractiveContent);
  return { envelope: read, content: { type: name, [name]: content } };
}

function interactiveShape(own: unknown): z.ZodType {
  const type = (own as { type?: unknown } | null)?.type;
  const shape = INTERACTIVE[type as keyof typeof INTERACTIVE];
  if (shape) return shape;
  const known = Object.keys(INTERACTIVE)
    .map((each) => each.toUpperCase())
    .sort()
    .join(", ");
  throw badParam(`Param interactive['type'] must be one of {${known}} - got "${String(type)}".`);
}

function checkMedia(name: string, content: unknown): void {
  if (!["image", "video", "audio", "document", "sticker"].includes(name)) return;
  const { id, link } = content as { id?: string; link?: string };
  if ((id === undefined) === (link === undefined))
    throw badParam(`Param ${name} must have exactly one of 'id' or 'link'.`);
  if (link !== undefined && !/^https?:\/\/[^\s]+$/i.test(link))
    throw badParam(`Param ${name}['link'] is not a valid URL.`);
}

export interface InteractiveContent {
  type: string;
  header?: { type: string; text?: string; image?: object; video?: object; document?: object };
  body?: { text: string };
  footer?: { text: string };
  action: {
    name?: string;
    button?: string;
    buttons?: { reply: { id: string; title: string } }[];
    sections?: {
      title?: string;
      rows?: { id: string; title: string; description?: string }[];
      product_items?: object[];
    }[];
    parameters?: { display_text?: string; url?: string };
    catalog_id?: string;
    product_retailer_id?: string;
  };
}

const MAX_BUTTONS = 3;
const MAX_ROWS = 10;

function checkInteractive({ type, header, action }: InteractiveContent): void {
  if (header && header[header.type as "text"] === undefined)
    throw waRefusal(131008, `Header of type ${header.type} requires '${header.type}'`);
  if (type === "list" && header && header.type !== "text") throw notValid("Header type must be TEXT for list messages");
  const { buttons, sections = [] } = action;
  if (buttons && (buttons.length < 1 || buttons.length > MAX_BUTTONS))
    throw notValid(`Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: ${MAX_BUTTONS}`);
  unique("Button ids", buttons?.map(({ reply }) => reply.id) ?? []);
  unique("Button titles", buttons?.map(({ reply }) => reply.title) ?? []);
  const rows = sections.flatMap((each) => each.rows ?? []);
  if (rows.length > MAX_ROWS) throw notValid(`Total row count exceed max allowed count: ${MAX_ROWS}`);
  unique(
    "Row ids",
    rows.map(({ id }) => id),
  );
  if (sections.length > 1 && sections.some(({ title }) => !title))
    throw notValid("Section title is required when there is more than one section");
}

function unique(what: string, values: string[]): void {
  if (new Set(values).size !== values.length) throw notValid(`${what} must be unique`);
}

function parse<T>(shape: z.ZodType<T>, value: unknown, at: string[]): T {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (!issue) throw badParam("Invalid parameter");
  throw refusalOf(issue, [...at, ...issue.path.map(String)], value);
}

/** `text['body']` */
const nameOf = ([first = "root", ...rest]: string[]) => first + rest.map((each) => `['${each}']`).join("");

function refusalOf(issue: z.core.$ZodIssue, path: string[], value: unknown) {
  const name = nameOf(path);
  switch (issue.code) {
    case "unrecognized_keys":
      return waRefusal(100, `Unexpected key "${issue.keys[0]}" on param "${name}".`);
    case "too_big":
      if (issue.origin === "string") return badParam(`Param ${name} must be at most ${issue.maximum} characters long.`);
      return notValid(`Param ${name} must be at most ${issue.maximum}`);
    case "too_small":
      if (issue.origin === "string") return badParam(`Param ${name} must be at least ${issue.minimum} character long.`);
      return notValid(`Param ${name} must be at least ${issue.minimum}`);
    case "invalid_type":
      if (missing(value, issue.path)) return waRefusal(131008, `Required parameter ${name} is missing`);
      return badParam(`Param ${name} must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}.`);
    default:
      return notValid(`Param ${name} is not valid`);
  }
}

function missing(value: unknown, path: PropertyKey[]): boolean {
  let at = value;
  for (const key of path) at = (at as Record<PropertyKey, unknown> | undefined)?.[key];
  return at === undefined;
}
