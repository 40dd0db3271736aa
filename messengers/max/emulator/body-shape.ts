import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import { z } from "zod";
import { fromHtml, fromMarkdown } from "./formatting.ts";
import type { Platform } from "./platform.ts";
import { badPayload, notReady } from "./refusal.ts";
import { bareToken } from "./views.ts";
import type { Attachment, Markup } from "./world.ts";

const title = z.string().min(1).max(128);
const button = z.discriminatedUnion("type", [
  z.strictObject({
    ...{ type: z.literal("callback"), text: title, payload: z.string().max(1_024) },
    intent: z.enum(["positive", "negative", "default"]).optional(),
  }),
  z.strictObject({ type: z.literal("link"), text: title, url: z.string().max(2_048) }),
  z.strictObject({ type: z.literal("message"), text: title }),
  z.strictObject({ type: z.literal("request_contact"), text: title }),
  z.strictObject({ type: z.literal("request_geo_location"), text: title, quick: z.boolean().optional() }),
  z.strictObject({ type: z.literal("clipboard"), text: title, payload: z.string().max(1_024) }),
]);
export type Button = z.infer<typeof button>;

const token = z.strictObject({
  token: z.string().nullish(),
  url: z.string().nullish(),
  photos: z.unknown().optional(),
});
const media = z.strictObject({ type: z.enum(["image", "video", "audio", "file"]), payload: token });
const attachment = z.discriminatedUnion("type", [
  media,
  z.strictObject({
    type: z.literal("inline_keyboard"),
    payload: z.strictObject({ buttons: z.array(z.array(button)).min(1) }),
  }),
  z.strictObject({ type: z.literal("sticker"), payload: z.strictObject({ code: z.string() }) }),
  z.strictObject({
    type: z.literal("contact"),
    payload: z.strictObject({
      ...{ name: z.string().nullish(), contact_id: z.int().nullish() },
      ...{ vcf_info: z.string().nullish(), vcf_phone: z.string().nullish() },
    }),
  }),
  z.strictObject({ type: z.literal("location"), latitude: z.number(), longitude: z.number() }),
  z.strictObject({ type: z.literal("share"), payload: z.strictObject({ url: z.string().nullish() }) }),
]);

const newMessage = z.strictObject({
  text: z.string().nullish(),
  attachments: z.array(attachment).nullish(),
  link: z.strictObject({ type: z.enum(["reply", "forward"]), mid: z.string() }).nullish(),
  notify: z.boolean().optional(),
  format: z.enum(["markdown", "html"]).nullish(),
});
export type NewMessage = z.infer<typeof newMessage>;

const MAX_TEXT = 4_000;
const MAX_ATTACHMENTS = 12;
const [MAX_BUTTONS, MAX_ROWS, MAX_IN_ROW, MAX_SPECIAL] = [210, 30, 7, 3];
const SPECIAL = ["link", "request_contact", "request_geo_location", "open_app"];
/** Stand alone but for a keyboard. */
const ALONE = ["file", "audio", "sticker", "contact"];

/** The body of a message, by all rules that need no world. Throws MaxRefusal. */
export function readNewMessage(given: unknown, unit: "bytes" | "characters"): NewMessage {
  const parsed = newMessage.safeParse(given);
  // (u): the words.
  if (!parsed.success) throw badPayload(`Invalid request. ${shapeFaults(parsed.error)}`);
  const { text, attachments } = parsed.data;
  const length = unit === "bytes" ? Buffer.byteLength(text ?? "") : [...(text ?? "")].length;
  if (length > MAX_TEXT) throw badPayload(`Field 'text' size (${length}) must be at most ${MAX_TEXT}`);
  checkAttachments(attachments ?? []);
  return parsed.data;
}

function checkAttachments(all: NonNullable<NewMessage["attachments"]>): void {
  // (u): the words.
  if (all.length > MAX_ATTACHMENTS)
    throw badPayload(`Field 'attachments' size (${all.length}) must be at most ${MAX_ATTACHMENTS}`);
  const others = all.filter(({ type }) => type !== "inline_keyboard");
  const alone = others.find(({ type }) => ALONE.includes(type));
  if (alone && others.length > 1) throw badPayload(`Must be only one ${alone.type} attachment in message`);
  const keyboards = all.flatMap((each) => (each.type === "inline_keyboard" ? [each.payload.buttons] : []));
  // (u): the words.
  if (keyboards.length > 1) throw badPayload("Must be only one inline_keyboard attachment in message");
  for (const rows of keyboards) checkKeyboard(rows);
  // (u): that a voice message takes no keyboard, as the documentation says "alone" of it.
  if (keyboards.length > 0 && others.some(({ type }) => type === "audio"))
    throw badPayload("Must be only one audio attachment in message");
}

function checkKeyboard(rows: Button[][]): void {
  const isTooWide = (row: Button[]) =>
    row.length > MAX_IN_ROW || (row.some(({ type }) => SPECIAL.includes(type)) && row.length > MAX_SPECIAL);
  // (u): the words.
  if (rows.length > MAX_ROWS || rows.flat().length > MAX_BUTTONS || rows.some(isTooWide))
    throw badPayload("Field 'buttons' has too many buttons");
  if (rows.flat().some((each) => each.type === "link" && !/^https?:\/\/\S+$/i.test(each.url)))
    throw badPayload("Must have only http/https links format in buttons");
}

/** Text and markup as they are shown. */
export function formattedText({ text, format }: NewMessage): { text?: string; markup: Markup[] } {
  if (!text) return { markup: [] };
  if (format === "html") return fromHtml(text);
  return format === "markdown" ? fromMarkdown(text) : { text, markup: [] };
}

/** Attachments as the chat shows them. A file that is not processed yet is refused for now. Throws MaxRefusal. */
export function shownAttachments(platform: Platform, given: NonNullable<NewMessage["attachments"]>): Attachment[] {
  const waits = given.flatMap((each) => {
    const upload = platform.uploads.get(tokenOf(each) ?? "");
    return upload && upload.notReady > 0 ? [upload] : [];
  });
  const shown = given.map((each): Attachment => {
    if (["image", "video", "audio", "file"].includes(each.type)) return shownMedia(platform, each);
    if (each.type === "sticker") return { ...each, payload: { ...each.payload, url: "" }, width: 1, height: 1 };
    if (each.type === "contact") return { type: "contact", payload: { vcf_info: each.payload.vcf_info ?? "" } };
    return each as Attachment;
  });
  for (const upload of waits) upload.notReady -= 1;
  if (waits.length > 0) throw notReady();
  return shown;
}

type Given = NonNullable<NewMessage["attachments"]>[number];

const payloadOf = (given: Given): object => ("payload" in given ? given.payload : {});

/** A picture's token may stand in what its upload answered. */
function tokenOf(given: Given): string | undefined {
  const { token: own, photos = {} } = payloadOf(given) as {
    token?: string | null;
    photos?: Record<string, { token: string }>;
  };
  const found = own ?? Object.values(photos)[0]?.token;
  return found == null ? undefined : bareToken(found);
}

function shownMedia(platform: Platform, given: Given): Attachment {
  const { type } = given;
  const { url } = payloadOf(given) as { url?: string | null };
  const named = tokenOf(given);
  if (type === "image" && url && !named) {
    // (u): the words. MAX fetches it; the sandbox knows that nothing is below `.invalid`.
    if (!/^https?:\/\//.test(url) || new URL(url).hostname.endsWith(".invalid"))
      throw badPayload("Failed to upload image by url");
    return { type, payload: { photo_id: photoId(url), token: "external", url } };
  }
  const upload = platform.uploads.get(named ?? "");
  const medium = upload && platform.media.get(upload.medium);
  if (!upload || !medium || upload.kind !== type || named === undefined)
    throw badPayload(`Invalid ${type === "image" ? "photo" : type} token provided: ${named}`);
  const address = `${platform.origin()}/files/${upload.medium}`;
  const payload = { url: address, token: named };
  if (type === "image") return { type, payload: { photo_id: photoId(named), ...payload } };
  return type === "file" ? { type, payload, filename: medium.name, size: medium.size } : { type, payload };
}

/** The same for the same picture. */
export const photoId = (name: string): number => Number.parseInt(Buffer.from(name).toString("hex").slice(-10), 16);
