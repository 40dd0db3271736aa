export type LineLanguage = "en" | "es" | "ru";

interface Lines {
  tooLarge(what: string): string;
  forwarded(who: string): string;
  repliedTo(who: string): string;
  location: string;
  liveLocation: string;
  poll: string;
  quiz: string;
  game(title: string): string;
  invoice(title: string): string;
  story: string;
  repliedToStory(whose: string | undefined): string;
  gift(stars: number | undefined): string;
  giftUpgrade: string;
  uniqueGift(name: string): string;
  giveaway: string;
  paidMedia(stars: number | undefined): string;
  boost(times: number): string;
  shared(what: string): string;
  loggedIn(site: string): string;
  writeAccess: string;
  paid(amount: string): string;
  refunded(amount: string): string;
  checklist: string;
  /** Heads the new version of a message whose edit the CRM cannot show. */
  changed: string;
  changedFile: string;
  captionRemoved: string;
  reacted(emoji: string): string;
  unreacted: string;
  reactions(counts: string): string;
  /** Part of an album. */
  partDeleted: string;
  sticker(emoji: string): string;
  webApp(said: string): string;
  unknown(kind: string): string;
  hidden: string;
  blocked: string;
  unblocked: string;
  /** For files without a name. */
  names: Record<"photo" | "video" | "voice" | "audio" | "file", string>;
}

export const LINES: Record<LineLanguage, Lines> = {
  en: {
    tooLarge: (what) => `[${what}: too large to forward; a bot can download up to 20 MB]`,
    forwarded: (who) => `Forwarded from ${who}:`,
    repliedTo: (who) => `Replying to ${who}:`,
    location: "Location",
    liveLocation: "Live location",
    poll: "Poll",
    quiz: "Quiz",
    game: (title) => `[Game: ${title}]`,
    invoice: (title) => `[Invoice: ${title}]`,
    story: "[A story]",
    repliedToStory: (whose) => (whose ? `Replying to a story of ${whose}:` : "Replying to a story:"),
    gift: (stars) => (stars ? `[Gift 🎁 for ${stars} stars]` : "[Gift 🎁]"),
    giftUpgrade: "[Gift upgrade 🎁]",
    uniqueGift: (name) => `[Gift 🎁: ${name}]`,
    giveaway: "[Giveaway]",
    paidMedia: (stars) =>
      stars ? `[Paid media, ${stars} stars: not available to bots]` : "[Paid media: not available to bots]",
    boost: (times) => `[Boosted the chat: ${times}×]`,
    shared: (what) => `[Shared: ${what}]`,
    loggedIn: (site) => `[Logged in to ${site}]`,
    writeAccess: "[Allowed the bot to send messages]",
    paid: (amount) => `[Paid ${amount}]`,
    refunded: (amount) => `[Refunded ${amount}]`,
    checklist: "[Checklist changed]",
    changed: "[Edited message]",
    changedFile: "[Replaced the file]",
    captionRemoved: "[Caption removed]",
    reacted: (emoji) => `[Reaction ${emoji}]`,
    unreacted: "[Reaction removed]",
    reactions: (counts) => `[Reactions: ${counts}]`,
    partDeleted: "The customer has deleted part of this album.",
    sticker: (emoji) => `[Sticker ${emoji}]`,
    webApp: (said) => `[From a web app: ${said}]`,
    unknown: (kind) => `[Unsupported message type: ${kind}]`,
    hidden: "somebody",
    blocked: "The customer has blocked the bot.",
    unblocked: "The customer has unblocked the bot.",
    names: { photo: "Photo", video: "Video", voice: "Voice message", audio: "Audio", file: "File" },
  },
  es: {
    tooLarge: (what) => `[${what}: demasiado grande para transmitirlo; un bot recibe 20 MB como máximo]`,
    forwarded: (who) => `Reenviado de ${who}:`,
    repliedTo: (who) => `En respuesta a ${who}:`,
    location: "Ubicación",
    liveLocation: "Ubicación en tiempo real",
    poll: "Encuesta",
    quiz: "Cuestionario",
    game: (title) => `[Juego: ${title}]`,
    invoice: (title) => `[Factura: ${title}]`,
    story: "[Una historia]",
    repliedToStory: (whose) => (whose ? `En respuesta a una historia de ${whose}:` : "En respuesta a una historia:"),
    gift: (stars) => (stars ? `[Regalo 🎁 de ${stars} estrellas]` : "[Regalo 🎁]"),
    giftUpgrade: "[Mejora de un regalo 🎁]",
    uniqueGift: (name) => `[Regalo 🎁: ${name}]`,
    giveaway: "[Sorteo]",
    paidMedia: (stars) =>
      stars
        ? `[Contenido de pago, ${stars} estrellas: los bots no lo reciben]`
        : "[Contenido de pago: los bots no lo reciben]",
    boost: (times) => `[Ha impulsado el chat: ${times}×]`,
    shared: (what) => `[Compartido: ${what}]`,
    loggedIn: (site) => `[Ha iniciado sesión en ${site}]`,
    writeAccess: "[Ha permitido que el bot le escriba]",
    paid: (amount) => `[Pagado: ${amount}]`,
    refunded: (amount) => `[Reembolsado: ${amount}]`,
    checklist: "[Lista de tareas cambiada]",
    changed: "[Mensaje editado]",
    changedFile: "[Archivo reemplazado]",
    captionRemoved: "[Texto eliminado]",
    reacted: (emoji) => `[Reacción ${emoji}]`,
    unreacted: "[Reacción retirada]",
    reactions: (counts) => `[Reacciones: ${counts}]`,
    partDeleted: "El cliente ha eliminado una parte de este álbum.",
    sticker: (emoji) => `[Sticker ${emoji}]`,
    webApp: (said) => `[De una aplicación web: ${said}]`,
    unknown: (kind) => `[Tipo de mensaje no compatible: ${kind}]`,
    hidden: "alguien",
    blocked: "El cliente ha bloqueado el bot.",
    unblocked: "El cliente ha desbloqueado el bot.",
    names: { photo: "Foto", video: "Vídeo", voice: "Mensaje de voz", audio: "Audio", file: "Archivo" },
  },
  ru: {
    tooLarge: (what) => `[${what}: слишком велик, чтобы передать; бот получает не больше 20 МБ]`,
    forwarded: (who) => `Переслано от ${who}:`,
    repliedTo: (who) => `В ответ ${who}:`,
    location: "Местоположение",
    liveLocation: "Местоположение в реальном времени",
    poll: "Опрос",
    quiz: "Викторина",
    game: (title) => `[Игра: ${title}]`,
    invoice: (title) => `[Счёт: ${title}]`,
    story: "[История]",
    repliedToStory: (whose) => (whose ? `В ответ на историю (${whose}):` : "В ответ на историю:"),
    gift: (stars) => (stars ? `[Подарок 🎁, звёзд: ${stars}]` : "[Подарок 🎁]"),
    giftUpgrade: "[Улучшение подарка 🎁]",
    uniqueGift: (name) => `[Подарок 🎁: ${name}]`,
    giveaway: "[Розыгрыш]",
    paidMedia: (stars) =>
      stars ? `[Платный контент, звёзд: ${stars}; боты его не получают]` : "[Платный контент: боты его не получают]",
    boost: (times) => `[Буст чата: ${times}×]`,
    shared: (what) => `[Отправлено: ${what}]`,
    loggedIn: (site) => `[Вход на сайт ${site}]`,
    writeAccess: "[Разрешение боту писать]",
    paid: (amount) => `[Оплачено: ${amount}]`,
    refunded: (amount) => `[Возвращено: ${amount}]`,
    checklist: "[Список задач изменён]",
    changed: "[Изменённое сообщение]",
    changedFile: "[Файл заменён]",
    captionRemoved: "[Подпись удалена]",
    reacted: (emoji) => `[Реакция ${emoji}]`,
    unreacted: "[Реакция снята]",
    reactions: (counts) => `[Реакции: ${counts}]`,
    partDeleted: "Клиент удалил часть этого альбома.",
    sticker: (emoji) => `[Стикер ${emoji}]`,
    webApp: (said) => `[Из веб-приложения: ${said}]`,
    unknown: (kind) => `[Неподдерживаемый тип сообщения: ${kind}]`,
    hidden: "кого-то",
    blocked: "Клиент заблокировал бота.",
    unblocked: "Клиент разблокировал бота.",
    names: { photo: "Фото", video: "Видео", voice: "Голосовое сообщение", audio: "Аудио", file: "Файл" },
  },
};

/** Texts in the customer's language if available, else in the channel's. */
export function linesFor(code: string | undefined, channel: LineLanguage): Lines {
  const language = code?.slice(0, 2).toLowerCase() ?? "";
  return Object.hasOwn(LINES, language) ? LINES[language as LineLanguage] : LINES[channel];
}
export type { Lines };
