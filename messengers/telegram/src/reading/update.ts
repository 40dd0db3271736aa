import { type Filled, inLanguages, type Language, languageOf, type Translation } from "gangway-messenger/language";
import * as z from "zod";

// The parts of the Bot API's objects that we read (core.telegram.org/bots/api#available-types). `null` counts as absent,
// and so does a field of an unexpected shape: it must not make the whole update unreadable.

export const absent = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/**
 * Like `z.object`, but checks only the fields that are present: a message has about five of ninety. `keys` lists all
 * that are not null, including those that we do not read.
 */
function sparse<Shape extends z.ZodRawShape>(shape: Shape) {
  const fields = new Map(Object.entries<z.ZodType>(shape as never));
  const needed = [...fields].flatMap(([name, field]) => (field.safeParse(undefined).success ? [] : [name]));
  return z.unknown().transform((value, context) => {
    const keys: string[] = [];
    const read: Record<string, unknown> = { keys };
    for (const [name, each] of Object.entries(value ?? {})) {
      if (each == null) continue;
      keys.push(name);
      const field = fields.get(name)?.safeParse(each);
      if (field?.success) read[name] = field.data;
    }
    if (needed.some((name) => read[name] === undefined)) context.addIssue("lacks what it needs");
    return read as z.infer<z.ZodObject<Shape>> & { keys: string[] };
  });
}
/** Below 2^53; some test servers send strings of digits. */
const id = z.union([z.int(), z.string().regex(/^-?\d+$/)]).transform(String);
const text = absent(z.string());
const number = absent(z.number());
const flag = absent(z.boolean());
/** Seconds since 1970. Implausible dates (before Telegram existed, after 2100) are absent. */
const date = absent(
  z
    .int()
    .min(Date.UTC(2013, 0) / 1000)
    .max(Date.UTC(2100, 0) / 1000),
);

const user = z.object({
  id,
  is_bot: flag,
  first_name: text,
  last_name: text,
  username: text,
  language_code: text,
});
const chat = z.object({
  id,
  type: text,
  title: text,
  first_name: text,
  last_name: text,
  username: text,
  is_forum: flag,
});
const entity = z.object({ type: z.string(), offset: z.number(), length: z.number(), url: text, language: text });
const entities = absent(z.array(absent(entity)));
const stored = {
  file_id: z.string(),
  /** Stable, unlike `file_id`. */
  file_unique_id: text,
  file_size: number,
  mime_type: text,
  file_name: text,
  width: number,
  height: number,
};
const file = z.object(stored);
const photo = absent(z.array(absent(file)));
const sticker = z.object({ ...stored, is_animated: flag, is_video: flag, emoji: text, thumbnail: absent(file) });
const location = z.object({ latitude: z.number(), longitude: z.number(), live_period: number });
const origin = z.object({
  type: text,
  sender_user: absent(user),
  sender_user_name: text,
  sender_chat: absent(chat),
  chat: absent(chat),
});

const task = z.object({ id: number, text: z.string(), completion_date: number });
const tasks = absent(z.array(absent(task)));
const checklist = absent(z.object({ title: text, tasks: z.array(task).catch([]) }));
const price = absent(z.object({ currency: z.string(), amount: number }));
const payment = absent(z.object({ currency: z.string(), total_amount: z.number() }));

/** Service messages about what a person did deliberately. */
const acts = {
  gift: absent(z.object({ gift: absent(z.object({ star_count: number })), text })),
  gift_upgrade_sent: absent(z.object({ text })),
  unique_gift: absent(z.object({ gift: absent(z.object({ base_name: text, number })), text })),
  giveaway: absent(z.object({ winner_count: number, prize_description: text })),
  giveaway_winners: absent(z.object({ winner_count: number, prize_description: text })),
  paid_media: absent(z.object({ star_count: number })),
  boost_added: absent(z.object({ boost_count: number })),
  users_shared: absent(
    z.object({
      users: absent(z.array(absent(z.object({ user_id: id, first_name: text, last_name: text, username: text })))),
    }),
  ),
  chat_shared: absent(z.object({ chat_id: absent(id), title: text, username: text })),
  connected_website: text,
  successful_payment: payment,
  refunded_payment: payment,
  checklist_tasks_done: absent(
    z.object({
      checklist_message: absent(z.object({ checklist })),
      marked_as_done_task_ids: absent(z.array(z.number())),
      marked_as_not_done_task_ids: absent(z.array(z.number())),
    }),
  ),
  checklist_tasks_added: absent(z.object({ tasks })),
  poll_option_added: absent(z.object({ option_text: text })),
  poll_option_deleted: absent(z.object({ option_text: text })),
  suggested_post_approved: absent(z.object({ price })),
  suggested_post_approval_failed: absent(z.object({ price })),
  suggested_post_declined: absent(z.object({ comment: text })),
  suggested_post_paid: absent(z.object({ currency: text, amount: number })),
  suggested_post_refunded: absent(z.object({ reason: text })),
};

/** Files inside a message, or a block of a rich message. */
export const media = {
  photo,
  video: absent(file),
  animation: absent(file),
  voice: absent(z.object({ ...stored, duration: number })),
  audio: absent(z.object({ ...stored, duration: number, performer: text, title: text })),
  document: absent(file),
};

const contents = {
  text,
  entities,
  caption: text,
  caption_entities: entities,
  rich_message: absent(z.object({ blocks: z.array(z.unknown()) })),
  ...media,
  video_note: absent(z.object({ ...stored, duration: number })),
  /** The video; `photo` is there beside it. */
  live_photo: absent(z.object({ ...stored, duration: number })),
  sticker: absent(sticker),
  contact: absent(z.object({ phone_number: z.string(), first_name: text, last_name: text, user_id: absent(id) })),
  location: absent(location),
  venue: absent(z.object({ location, title: z.string(), address: text })),
  poll: absent(
    z.object({ question: z.string(), type: text, options: z.array(z.object({ text: z.string() })).catch([]) }),
  ),
  dice: absent(z.object({ emoji: z.string(), value: z.number() })),
  game: absent(z.object({ title: z.string() })),
  invoice: absent(z.object({ title: z.string() })),
  web_app_data: absent(z.object({ data: z.string() })),
  checklist,
  ...acts,
};
const button = z.object({ text: z.string(), callback_data: text });

const message = sparse({
  message_id: id,
  date,
  edit_date: date,
  from: absent(user),
  sender_chat: absent(chat),
  sender_business_bot: absent(user),
  business_connection_id: text,
  chat,
  message_thread_id: absent(z.int()),
  is_topic_message: flag,
  /** Of a channel's direct messages: the conversation of one person. */
  direct_messages_topic: absent(z.object({ topic_id: id, user: absent(user) })),
  suggested_post_info: absent(z.object({ price })),
  /** Instead of `message_id`, which is 0: only the sender and the bot see it, for a while. */
  ephemeral_message_id: absent(z.int()),
  media_group_id: text,
  forward_origin: absent(origin),
  reply_to_message: absent(sparse({ ...contents, message_id: id })),
  external_reply: absent(sparse({ ...contents, origin: absent(origin) })),
  quote: absent(z.object({ text: z.string(), is_manual: flag })),
  reply_to_story: absent(z.object({ chat: absent(chat) })),
  reply_markup: absent(z.object({ inline_keyboard: absent(z.array(z.array(button))) })),
  migrate_to_chat_id: absent(id),
  migrate_from_chat_id: absent(id),
  ...contents,
});
const member = z.object({ status: text });
const reactionType = z.object({ type: z.string(), emoji: text });
const reactions = z.array(reactionType).catch([]);

/** A business account connects the bot to its chats, or disconnects it. */
export const businessConnection = z.object({
  id: z.string(),
  user,
  is_enabled: flag,
  /** Before Bot API 9.0. */
  can_reply: flag,
  rights: absent(z.object({ can_reply: flag })),
});

export const update = sparse({
  update_id: z.number(),
  message: absent(message),
  edited_message: absent(message),
  business_message: absent(message),
  edited_business_message: absent(message),
  callback_query: absent(
    z.object({ id: z.string(), from: user, message: absent(message), data: text, game_short_name: text }),
  ),
  my_chat_member: absent(z.object({ chat, from: user, date, new_chat_member: absent(member) })),
  message_reaction: absent(
    z.object({
      chat,
      message_id: id,
      user: absent(user),
      actor_chat: absent(chat),
      date,
      old_reaction: reactions,
      new_reaction: reactions,
    }),
  ),
  message_reaction_count: absent(
    z.object({
      chat,
      message_id: id,
      date,
      reactions: z.array(z.object({ type: reactionType, total_count: z.number() })).catch([]),
    }),
  ),
  business_connection: absent(businessConnection),
  deleted_business_messages: absent(
    z.object({ business_connection_id: z.string(), chat, message_ids: z.array(id).catch([]) }),
  ),
});
export type Update = z.infer<typeof update>;
export type TelegramMessage = z.infer<typeof message>;
/** A message without its sender and chat. */
export type MessageContent = z.infer<z.ZodObject<typeof contents>> & { keys: string[] };
export type TelegramUser = z.infer<typeof user>;
export type TelegramChat = z.infer<typeof chat>;
export type TelegramFile = z.infer<typeof file>;
export type Entities = z.infer<typeof entities>;
export type Origin = z.infer<typeof origin>;

/** Known update types that do not concern the CRM. */
export const IGNORED = [
  "channel_post",
  "edited_channel_post",
  "chat_member",
  "chat_join_request",
  "poll",
  "poll_answer",
];

const en = {
  tooLarge: "[{what}: too large to forward; a bot can download up to 20 MB]",
  forwarded: "Forwarded from {who}:",
  repliedTo: "Replying to {who}:",
  location: "Location",
  liveLocation: "Live location",
  poll: "Poll",
  quiz: "Quiz",
  game: "[Game: {title}]",
  invoice: "[Invoice: {title}]",
  story: "[Story]",
  repliedToStory: "Replying to a story:",
  repliedToStoryOf: "Replying to a story by {whose}:",
  gift: "{stars, plural, =0 {[Gift 🎁]} one {[Gift 🎁 worth # star]} other {[Gift 🎁 worth # stars]}}",
  giftUpgrade: "[Gift upgrade 🎁]",
  uniqueGift: "[Gift 🎁: {name}]",
  giveaway: "[Giveaway]",
  paidMedia:
    "{stars, plural, =0 {[Paid media: not available to bots]} one {[Paid media, # star: not available to bots]} other {[Paid media, # stars: not available to bots]}}",
  boost: "{times, plural, one {[Boosted the chat once]} other {[Boosted the chat # times]}}",
  shared: "[Shared: {what}]",
  loggedIn: "[Logged in to {site}]",
  writeAccess: "[Allowed the bot to send messages]",
  paid: "[Paid {amount}]",
  refunded: "[Refunded {amount}]",
  checklist: "[Checklist changed]",
  /** Line above the new version of a message whose edit the CRM cannot show. */
  changed: "[Edited message]",
  changedFile: "[File replaced]",
  captionRemoved: "[Caption removed]",
  reacted: "[Reaction {emoji}]",
  unreacted: "[Reaction removed]",
  reactions: "[Reactions: {counts}]",
  /** Part of an album. */
  partDeleted: "The customer has deleted part of this album.",
  suggestedPost: "{price, select, 0 {[Suggested post]} other {[Suggested post for {price}]}}",
  postApproved: "{price, select, 0 {[Suggested post approved]} other {[Suggested post approved, {price}]}}",
  postUnpaid: "[Suggested post not approved: it could not be paid]",
  postDeclined: "[Suggested post declined]",
  postPaid: "{price, select, 0 {[Suggested post paid]} other {[Suggested post paid, {price}]}}",
  postRefunded: "[Suggested post refunded]",
  /** Line above a message that Telegram shows to its sender and the bot only. */
  ephemeral: "[Only the bot sees this message; the whole group sees an answer]",
  sticker: "[Sticker {emoji}]",
  webApp: "[From a web app: {said}]",
  unknown: "[Unsupported message type: {kind}]",
  hidden: "somebody",
  blocked: "The customer has blocked the bot.",
  unblocked: "The customer has unblocked the bot.",
  /** For files without a name. */
  names: { photo: "Photo", video: "Video", voice: "Voice message", audio: "Audio", file: "File" },
} as const;

const es: Translation<typeof en> = {
  tooLarge: "[{what}: demasiado grande para transferirlo; un bot puede descargar hasta 20 MB]",
  forwarded: "Reenviado de {who}:",
  repliedTo: "En respuesta a {who}:",
  location: "Ubicación",
  liveLocation: "Ubicación en tiempo real",
  poll: "Encuesta",
  quiz: "Cuestionario",
  game: "[Juego: {title}]",
  invoice: "[Factura: {title}]",
  story: "[Historia]",
  repliedToStory: "En respuesta a una historia:",
  repliedToStoryOf: "En respuesta a una historia de {whose}:",
  gift: "{stars, plural, =0 {[Regalo 🎁]} one {[Regalo 🎁 de # estrella]} many {[Regalo 🎁 de # de estrellas]} other {[Regalo 🎁 de # estrellas]}}",
  giftUpgrade: "[Mejora de un regalo 🎁]",
  uniqueGift: "[Regalo 🎁: {name}]",
  giveaway: "[Sorteo]",
  paidMedia:
    "{stars, plural, =0 {[Contenido de pago: los bots no lo reciben]} one {[Contenido de pago, # estrella: los bots no lo reciben]} many {[Contenido de pago, # de estrellas: los bots no lo reciben]} other {[Contenido de pago, # estrellas: los bots no lo reciben]}}",
  boost:
    "{times, plural, one {[Ha impulsado el chat una vez]} many {[Ha impulsado el chat # de veces]} other {[Ha impulsado el chat # veces]}}",
  shared: "[Compartido: {what}]",
  loggedIn: "[Ha iniciado sesión en {site}]",
  writeAccess: "[Ha permitido que el bot le escriba]",
  paid: "[Pagado: {amount}]",
  refunded: "[Reembolsado: {amount}]",
  checklist: "[Lista de tareas modificada]",
  changed: "[Mensaje editado]",
  changedFile: "[Archivo reemplazado]",
  captionRemoved: "[Texto eliminado]",
  reacted: "[Reacción {emoji}]",
  unreacted: "[Reacción eliminada]",
  reactions: "[Reacciones: {counts}]",
  partDeleted: "El cliente ha eliminado una parte de este álbum.",
  suggestedPost: "{price, select, 0 {[Publicación sugerida]} other {[Publicación sugerida por {price}]}}",
  postApproved: "{price, select, 0 {[Publicación sugerida aprobada]} other {[Publicación sugerida aprobada, {price}]}}",
  postUnpaid: "[Publicación sugerida no aprobada: no se pudo pagar]",
  postDeclined: "[Publicación sugerida rechazada]",
  postPaid: "{price, select, 0 {[Publicación sugerida pagada]} other {[Publicación sugerida pagada, {price}]}}",
  postRefunded: "[Publicación sugerida reembolsada]",
  ephemeral: "[Solo el bot ve este mensaje; la respuesta la ve todo el grupo]",
  sticker: "[Sticker {emoji}]",
  webApp: "[De una aplicación web: {said}]",
  unknown: "[Tipo de mensaje no compatible: {kind}]",
  hidden: "alguien",
  blocked: "El cliente ha bloqueado el bot.",
  unblocked: "El cliente ha desbloqueado el bot.",
  names: { photo: "Foto", video: "Video", voice: "Mensaje de voz", audio: "Audio", file: "Archivo" },
};

const ru: Translation<typeof en> = {
  tooLarge: "[{what}: слишком большой файл; бот может скачать не больше 20 МБ]",
  forwarded: "Переслано от {who}:",
  repliedTo: "В ответ на сообщение от {who}:",
  location: "Геопозиция",
  liveLocation: "Трансляция геопозиции",
  poll: "Опрос",
  quiz: "Викторина",
  game: "[Игра: {title}]",
  invoice: "[Счёт: {title}]",
  story: "[История]",
  repliedToStory: "В ответ на историю:",
  repliedToStoryOf: "В ответ на историю ({whose}):",
  gift: "{stars, plural, =0 {[Подарок 🎁]} one {[Подарок 🎁 за # звезду]} few {[Подарок 🎁 за # звезды]} many {[Подарок 🎁 за # звёзд]} other {[Подарок 🎁 за # звезды]}}",
  giftUpgrade: "[Улучшение подарка 🎁]",
  uniqueGift: "[Подарок 🎁: {name}]",
  giveaway: "[Розыгрыш]",
  paidMedia:
    "{stars, plural, =0 {[Платный контент: боты его не получают]} one {[Платный контент, # звезда: боты его не получают]} few {[Платный контент, # звезды: боты его не получают]} many {[Платный контент, # звёзд: боты его не получают]} other {[Платный контент, # звезды: боты его не получают]}}",
  boost:
    "{times, plural, one {[Буст чата: # раз]} few {[Буст чата: # раза]} many {[Буст чата: # раз]} other {[Буст чата: # раза]}}",
  shared: "[Отправлено: {what}]",
  loggedIn: "[Вход на сайт {site}]",
  writeAccess: "[Боту разрешено писать]",
  paid: "[Оплачено: {amount}]",
  refunded: "[Возвращено: {amount}]",
  checklist: "[Список задач изменён]",
  changed: "[Изменённое сообщение]",
  changedFile: "[Файл заменён]",
  captionRemoved: "[Подпись удалена]",
  reacted: "[Реакция {emoji}]",
  unreacted: "[Реакция снята]",
  reactions: "[Реакции: {counts}]",
  partDeleted: "Клиент удалил часть этого альбома.",
  suggestedPost: "{price, select, 0 {[Предложенная публикация]} other {[Предложенная публикация за {price}]}}",
  postApproved:
    "{price, select, 0 {[Предложенная публикация одобрена]} other {[Предложенная публикация одобрена, {price}]}}",
  postUnpaid: "[Предложенная публикация не одобрена: не удалось оплатить]",
  postDeclined: "[Предложенная публикация отклонена]",
  postPaid:
    "{price, select, 0 {[Предложенная публикация оплачена]} other {[Предложенная публикация оплачена, {price}]}}",
  postRefunded: "[Возврат за предложенную публикацию]",
  ephemeral: "[Это сообщение видит только бот; ответ увидит вся группа]",
  sticker: "[Стикер {emoji}]",
  webApp: "[Из веб-приложения: {said}]",
  unknown: "[Неподдерживаемый тип сообщения: {kind}]",
  hidden: "скрытого пользователя",
  blocked: "Клиент заблокировал бота.",
  unblocked: "Клиент разблокировал бота.",
  names: { photo: "Фото", video: "Видео", voice: "Голосовое сообщение", audio: "Аудио", file: "Файл" },
};

export type Lines = Filled<typeof en>;

/** The line that replaces what the CRM cannot show, in each language. */
export const LINES = inLanguages(en, { es, ru });

/** Texts in the customer's language if available, else in the channel's. */
export const linesFor = (code: string | undefined, channel: Language): Lines => LINES[languageOf(code) ?? channel];
