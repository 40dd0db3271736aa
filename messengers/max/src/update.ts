import * as z from "zod";

// Updates and messages as MAX sends them (dev.max.ru/docs-api, objects Update and Message). What may be missing, or has
// another type than documented, counts as absent.

/** Absent, null and a wrong type are equivalent. */
const maybe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

/** 64 bits: kept as text. */
const id = z
  .union([z.number(), z.string()])
  .transform(String)
  .pipe(z.string().regex(/^-?\d{1,20}$/));
const text = maybe(z.string());
/** Not `max`, which reads the length of whatever has one, objects too. */
const named = (most: number) => z.string().refine((name) => name.length > 0 && name.length <= most);
/** Unix time, ms. */
const time = maybe(z.number().min(0).max(8.64e15));

export const user = z.object({
  user_id: id,
  first_name: text,
  last_name: text,
  username: text,
  /** The full name; deprecated, but in every recorded payload. */
  name: text,
  is_bot: maybe(z.boolean()),
});
export type User = z.infer<typeof user>;

const payload = z.object({
  url: text,
  token: text,
  photo_id: maybe(id),
  vcf_info: text,
  max_info: maybe(user),
  buttons: maybe(z.array(z.array(z.object({ text, payload: text }).catch({ text: "", payload: "" })))),
});

export const attachment = z.object({
  type: named(64),
  payload: maybe(payload),
  filename: text,
  size: maybe(z.number()),
  width: maybe(z.number()),
  height: maybe(z.number()),
  /** Of a video; s. */
  duration: maybe(z.number()),
  transcription: text,
  title: text,
  description: text,
  latitude: maybe(z.number()),
  longitude: maybe(z.number()),
  data: text,
});
export type Attachment = z.infer<typeof attachment>;

const markup = z.object({ type: z.string(), from: z.number(), length: z.number(), url: text });
export type Markup = z.infer<typeof markup>;

/** Lists keep the items that can be read. */
const readable = <Item>(schema: z.ZodType<Item>) =>
  maybe(
    z.array(z.unknown()).transform((all) =>
      all.flatMap((each): Item[] => {
        const read = schema.safeParse(each);
        return read.success ? [read.data] : [];
      }),
    ),
  );

export const body = z.object({
  mid: named(200),
  text,
  attachments: readable(attachment),
  markup: readable(markup),
});
export type Body = z.infer<typeof body>;

export const message = z
  .object({
    sender: maybe(user),
    recipient: z.object({ chat_id: maybe(id), chat_type: text, user_id: maybe(id) }),
    timestamp: time,
    body: maybe(body),
    link: maybe(z.object({ type: text, sender: maybe(user), message: maybe(body) })),
  })
  .transform(({ body: own, ...told }, context) => {
    const found: Body | undefined = own ?? bodyOfForward(told);
    if (!found) context.addIssue({ code: "custom", message: "no body" });
    return found ? { ...told, body: found } : z.NEVER;
  });
/** A message that only forwards another may have no body (schema, Message), and so no id: it gets one. */
function bodyOfForward({ link, timestamp }: { link?: { message?: Body | null } | null; timestamp?: number | null }) {
  return link?.message ? { mid: `${link.message.mid}:${timestamp ?? 0}` } : undefined;
}
export type Message = z.infer<typeof message>;

const callback = z.object({ callback_id: named(500), payload: text, user, timestamp: time });

export const update = z.object({
  update_type: named(64),
  timestamp: time,
  message: maybe(message),
  callback: maybe(callback),
  message_id: text,
  chat_id: maybe(id),
  user_id: maybe(id),
  user: maybe(user),
  payload: text,
  user_locale: text,
});
export type Update = z.infer<typeof update>;
