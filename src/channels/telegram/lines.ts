/** Languages of the lines that stand for what is no text. */
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
  sticker(emoji: string): string;
  webApp(said: string): string;
  unknown(kind: string): string;
  hidden: string;
  blocked: string;
  unblocked: string;
  /** Of files without a name. */
  names: Record<"photo" | "video" | "voice" | "audio" | "file", string>;
}

export const LINES: Record<LineLanguage, Lines> = {
  en: {
    tooLarge: (what) => `[${what}: too large to be passed on; a bot can fetch 20 MB at most]`,
    forwarded: (who) => `Forwarded from ${who}:`,
    repliedTo: (who) => `Replying to ${who}:`,
    location: "Location",
    liveLocation: "Live location",
    poll: "Poll",
    quiz: "Quiz",
    game: (title) => `[Game: ${title}]`,
    invoice: (title) => `[Invoice: ${title}]`,
    story: "[A story]",
    sticker: (emoji) => `[Sticker ${emoji}]`,
    webApp: (said) => `[From a web app: ${said}]`,
    unknown: (kind) => `[A message of a kind this module does not know: ${kind}]`,
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
    sticker: (emoji) => `[Sticker ${emoji}]`,
    webApp: (said) => `[De una aplicación web: ${said}]`,
    unknown: (kind) => `[Un mensaje de un tipo que este módulo no conoce: ${kind}]`,
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
    sticker: (emoji) => `[Стикер ${emoji}]`,
    webApp: (said) => `[Из веб-приложения: ${said}]`,
    unknown: (kind) => `[Сообщение такого вида этому модулю не знакомо: ${kind}]`,
    hidden: "кого-то",
    blocked: "Клиент заблокировал бота.",
    unblocked: "Клиент разблокировал бота.",
    names: { photo: "Фото", video: "Видео", voice: "Голосовое сообщение", audio: "Аудио", file: "Файл" },
  },
};

/** The customer's language where the lines are written in it, else the channel's. */
export function linesFor(code: string | undefined, channel: LineLanguage): Lines {
  const language = code?.slice(0, 2).toLowerCase() ?? "";
  return Object.hasOwn(LINES, language) ? LINES[language as LineLanguage] : LINES[channel];
}
export type { Lines };
