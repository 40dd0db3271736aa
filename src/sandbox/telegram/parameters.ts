import { z } from "zod";
import type { Upload } from "./files.ts";

/** A file of a form; anything else that names a file is a string. */
export const isUpload = (value: unknown): value is Upload =>
  typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof Uint8Array;

const flag = z.boolean().optional();
const int = z.int();
const text = z.string();
const words = text.optional();
const count = int.optional();
const chat = z.union([int, text]);
const file = z.union([text, z.custom<Upload>(isUpload)]);

const entity = z.strictObject({
  type: text,
  offset: int,
  length: int,
  url: words,
  user: z.unknown().optional(),
  language: words,
  custom_emoji_id: words,
  unix_time: count,
  date_time_format: words,
});
const entities = z.array(entity);
const inlineButton = z.strictObject({
  text,
  icon_custom_emoji_id: words,
  style: words,
  url: words,
  callback_data: words,
  web_app: z.unknown().optional(),
  login_url: z.unknown().optional(),
  switch_inline_query: words,
  switch_inline_query_current_chat: words,
  switch_inline_query_chosen_chat: z.unknown().optional(),
  copy_text: z.unknown().optional(),
  callback_game: z.unknown().optional(),
  pay: flag,
});
const keyboardButton = z.strictObject({
  text,
  icon_custom_emoji_id: words,
  style: words,
  request_users: z.unknown().optional(),
  request_chat: z.unknown().optional(),
  request_contact: flag,
  request_location: flag,
  request_poll: z.unknown().optional(),
  web_app: z.unknown().optional(),
});
/** The four kinds of markup at once; which one it is tells the key. */
const markup = z.strictObject({
  inline_keyboard: z.array(z.array(inlineButton)).optional(),
  keyboard: z.array(z.array(z.union([keyboardButton, text]))).optional(),
  is_persistent: flag,
  resize_keyboard: flag,
  one_time_keyboard: flag,
  input_field_placeholder: z.string().max(64).optional(),
  selective: flag,
  remove_keyboard: flag,
  force_reply: flag,
});
const inputMedia = z.strictObject({
  type: z.enum(["photo", "video", "animation", "audio", "document", "live_photo"]),
  media: text,
  thumbnail: words,
  cover: words,
  start_timestamp: count,
  caption: words,
  parse_mode: words,
  caption_entities: entities.optional(),
  show_caption_above_media: flag,
  has_spoiler: flag,
  width: count,
  height: count,
  duration: count,
  supports_streaming: flag,
  performer: words,
  title: words,
  disable_content_type_detection: flag,
});
const pollOption = z.strictObject({ text, text_parse_mode: words, text_entities: entities.optional() });
const reaction = z.strictObject({ type: text, emoji: words, custom_emoji_id: words });
const command = z.strictObject({ command: text, description: text });
const scope = z.strictObject({ type: text, chat_id: chat.optional(), user_id: count });

/** What Telegram lists, by name: a name means the same in every method that has it. */
export const DICTIONARY = {
  action: text,
  address: text,
  allow_paid_broadcast: z.boolean(),
  allowed_updates: z.array(text),
  animation: file,
  audio: file,
  business_connection_id: text,
  cache_time: int,
  callback_query_id: text,
  caption: text,
  caption_entities: entities,
  certificate: file,
  chat_id: chat,
  commands: z.array(command),
  cover: file,
  direct_messages_topic_id: int,
  disable_content_type_detection: z.boolean(),
  disable_notification: z.boolean(),
  document: file,
  drop_pending_updates: z.boolean(),
  duration: int,
  emoji: text,
  entities,
  file_id: text,
  first_name: text,
  foursquare_id: text,
  foursquare_type: text,
  google_place_id: text,
  google_place_type: text,
  has_spoiler: z.boolean(),
  heading: int,
  height: int,
  horizontal_accuracy: z.number(),
  inline_message_id: text,
  ip_address: text,
  is_anonymous: z.boolean(),
  is_big: z.boolean(),
  is_closed: z.boolean(),
  allows_multiple_answers: z.boolean(),
  type: z.enum(["quiz", "regular"]),
  language_code: text,
  last_name: text,
  latitude: z.number(),
  length: int,
  limit: int,
  link_preview_options: z.strictObject({
    is_disabled: flag,
    url: words,
    prefer_small_media: flag,
    prefer_large_media: flag,
    show_above_text: flag,
  }),
  live_period: int,
  longitude: z.number(),
  max_connections: int,
  media: z.union([z.array(inputMedia), inputMedia]),
  message_effect_id: text,
  message_id: int,
  message_ids: z.array(int),
  message_thread_id: int,
  offset: int,
  options: z.array(z.union([pollOption, text])),
  parse_mode: z.enum(["HTML", "Markdown", "MarkdownV2"]),
  performer: text,
  phone_number: text,
  photo: file,
  protect_content: z.boolean(),
  proximity_alert_radius: int,
  question: text,
  question_parse_mode: text,
  question_entities: entities,
  reaction: z.array(reaction),
  reply_markup: markup,
  reply_parameters: z.strictObject({
    message_id: int,
    chat_id: chat.optional(),
    allow_sending_without_reply: flag,
    quote: words,
    quote_parse_mode: words,
    quote_entities: entities.optional(),
    quote_position: count,
    checklist_task_id: count,
    poll_option_id: words,
  }),
  scope,
  secret_token: text,
  show_alert: z.boolean(),
  show_caption_above_media: z.boolean(),
  start_timestamp: int,
  sticker: file,
  suggested_post_parameters: z.unknown(),
  supports_streaming: z.boolean(),
  text,
  thumbnail: file,
  timeout: int,
  title: text,
  url: text,
  user_id: int,
  vcard: text,
  video: file,
  video_note: file,
  voice: file,
  width: int,
};
export type Name = keyof typeof DICTIONARY;
export type Args = { [name in Name]?: z.infer<(typeof DICTIONARY)[name]> };
export type InputMedia = z.infer<typeof inputMedia>;
export type Markup = z.infer<typeof markup>;

const DELIVERY =
  "disable_notification protect_content allow_paid_broadcast message_effect_id reply_parameters business_connection_id chat_id! message_thread_id";
const SENDING = `${DELIVERY} direct_messages_topic_id suggested_post_parameters reply_markup`;
const CAPTION = "caption parse_mode caption_entities";
const EDITING = "business_connection_id chat_id message_id inline_message_id reply_markup";

/** The methods and their parameters, `!` after those that must be: https://core.telegram.org/bots/api#available-methods */
const METHODS: Record<string, string> = {
  getMe: "",
  setWebhook: "url! certificate ip_address max_connections allowed_updates drop_pending_updates secret_token",
  deleteWebhook: "drop_pending_updates",
  getWebhookInfo: "",
  getUpdates: "offset limit timeout allowed_updates",
  sendMessage: `${SENDING} text! parse_mode entities link_preview_options`,
  sendPhoto: `${SENDING} ${CAPTION} photo! show_caption_above_media has_spoiler`,
  sendDocument: `${SENDING} ${CAPTION} document! thumbnail disable_content_type_detection`,
  sendVideo: `${SENDING} ${CAPTION} video! duration width height thumbnail cover start_timestamp show_caption_above_media has_spoiler supports_streaming`,
  sendAnimation: `${SENDING} ${CAPTION} animation! duration width height thumbnail show_caption_above_media has_spoiler`,
  sendAudio: `${SENDING} ${CAPTION} audio! duration performer title thumbnail`,
  sendVoice: `${SENDING} ${CAPTION} voice! duration`,
  sendVideoNote: `${SENDING} video_note! duration length thumbnail`,
  sendSticker: `${SENDING} sticker! emoji`,
  sendMediaGroup: `${DELIVERY} direct_messages_topic_id media!`,
  sendLocation: `${SENDING} latitude! longitude! horizontal_accuracy live_period heading proximity_alert_radius`,
  sendVenue: `${SENDING} latitude! longitude! title! address! foursquare_id foursquare_type google_place_id google_place_type`,
  sendContact: `${SENDING} phone_number! first_name! last_name vcard`,
  sendDice: `${SENDING} emoji`,
  sendPoll: `${DELIVERY} reply_markup question! question_parse_mode question_entities options! is_anonymous type allows_multiple_answers is_closed`,
  sendChatAction: "business_connection_id chat_id! message_thread_id action!",
  editMessageText: `${EDITING} text! parse_mode entities link_preview_options`,
  editMessageCaption: `${EDITING} ${CAPTION} show_caption_above_media`,
  editMessageMedia: `${EDITING} media!`,
  editMessageReplyMarkup: EDITING,
  deleteMessage: "chat_id! message_id!",
  deleteMessages: "chat_id! message_ids!",
  deleteBusinessMessages: "business_connection_id! message_ids!",
  setMessageReaction: "chat_id! message_id! reaction is_big",
  getFile: "file_id!",
  getUserProfilePhotos: "user_id! offset limit",
  getChat: "chat_id!",
  getChatMember: "chat_id! user_id!",
  setMyCommands: "commands! scope language_code",
  getMyCommands: "scope language_code",
  deleteMyCommands: "scope language_code",
  answerCallbackQuery: "callback_query_id! text show_alert url cache_time",
  readBusinessMessage: "business_connection_id! chat_id! message_id!",
  getBusinessConnection: "business_connection_id!",
  leaveChat: "chat_id!",
};

export const METHOD_NAMES = Object.keys(METHODS);
const BY_LOWER = new Map(METHOD_NAMES.map((name) => [name.toLowerCase(), name]));
/** Telegram takes a method's name in any case. */
export const methodNamed = (name: string): string | undefined => BY_LOWER.get(name.toLowerCase());

export interface RawCall {
  values: ReadonlyMap<string, unknown>;
  /** The values of a query or form are strings, whatever they mean. */
  isForm: boolean;
}
export interface Judged {
  /** What is of the right type; the rest is as if it had not been given. */
  args: Args;
  faults: string[];
}

export function judge(method: string, { values, isForm }: RawCall): Judged {
  const listed = (METHODS[method] ?? "").split(" ").filter((each) => each !== "");
  const names = new Set(listed.map((each) => each.replace("!", "")));
  const faults: string[] = [];
  const args: Record<string, unknown> = {};
  for (const [name, value] of values) {
    if (value === null || value === undefined) continue;
    if (!names.has(name)) {
      if (!isUpload(value) || !isAttached(name, values)) faults.push(`${name}: no parameter of ${method}`);
      continue;
    }
    const { kept, faults: found } = judgeValue(DICTIONARY[name as Name], value, isForm);
    faults.push(...found.map((each) => `${name}${each}`));
    if (kept !== undefined) args[name] = kept;
  }
  for (const each of listed)
    if (each.endsWith("!") && !values.has(each.slice(0, -1))) faults.push(`${each.slice(0, -1)}: is missing`);
  return { args: args as Args, faults };
}

const isAttached = (name: string, values: ReadonlyMap<string, unknown>): boolean => {
  const rest = [...values.values()].filter((value) => !isUpload(value));
  return JSON.stringify(rest).includes(`attach://${name}`);
};

function judgeValue(schema: z.ZodType, value: unknown, isForm: boolean): { kept?: unknown; faults: string[] } {
  const first = schema.safeParse(value);
  if (first.success) return { kept: first.data, faults: [] };
  const read = typeof value === "string" ? parsed(value) : value;
  const second = schema.safeParse(read);
  // An object may be sent as its JSON in any body; a number or a boolean as a string is a form's way.
  const isFair = isForm || typeof read === "object";
  if (second.success) return { kept: second.data, faults: isFair ? [] : [": is of the wrong type"] };
  const issues = second.error.issues;
  const faults = issues.map((each) => `${each.path.map((part) => `.${String(part)}`).join("")}: ${each.message}`);
  return { kept: issues.every((each) => each.code === "unrecognized_keys") ? read : undefined, faults };
}

function parsed(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value === "True" || value === "False" ? value === "True" : value;
  }
}
