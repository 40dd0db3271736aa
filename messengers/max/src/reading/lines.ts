import { type Filled, inLanguages, type Language, languageOf, type Translation } from "gangway-messenger/language";

/** The lines that replace content that the CRM cannot show. */
const en = {
  forwarded: "Forwarded from {who}:",
  hidden: "somebody",
  location: "Location",
  started: "[Started the chat]",
  stopped: "The customer has stopped the bot.",
  changed: "[Edited message]",
  changedFile: "[Replaced the file]",
  captionRemoved: "[Text removed]",
  empty: "[Empty message]",
  tooLarge: "[{what}: too large to be passed on]",
  missing: "[{what}: MAX gave no address for it]",
  sticker: "[Sticker]",
  keyboard: "[Buttons: {titles}]",
  unknown: "[Unsupported message type: {kind}]",
  names: { image: "Photo", video: "Video", audio: "Audio", file: "File" },
} as const;

const es: Translation<typeof en> = {
  forwarded: "Reenviado de {who}:",
  hidden: "alguien",
  location: "Ubicación",
  started: "[Ha iniciado el chat]",
  stopped: "El cliente ha detenido el bot.",
  changed: "[Mensaje editado]",
  changedFile: "[Archivo reemplazado]",
  captionRemoved: "[Texto eliminado]",
  empty: "[Mensaje vacío]",
  tooLarge: "[{what}: demasiado grande para transferirlo]",
  missing: "[{what}: MAX no dio su dirección]",
  sticker: "[Sticker]",
  keyboard: "[Botones: {titles}]",
  unknown: "[Tipo de mensaje no compatible: {kind}]",
  names: { image: "Foto", video: "Video", audio: "Audio", file: "Archivo" },
};

const ru: Translation<typeof en> = {
  forwarded: "Переслано от {who}:",
  hidden: "скрытого пользователя",
  location: "Геопозиция",
  started: "[Начало чата]",
  stopped: "Клиент остановил бота.",
  changed: "[Изменённое сообщение]",
  changedFile: "[Файл заменён]",
  captionRemoved: "[Текст удалён]",
  empty: "[Пустое сообщение]",
  tooLarge: "[{what}: слишком большой файл, передать его нельзя]",
  missing: "[{what}: MAX не сообщил адрес]",
  sticker: "[Стикер]",
  keyboard: "[Кнопки: {titles}]",
  unknown: "[Неподдерживаемый тип сообщения: {kind}]",
  names: { image: "Фото", video: "Видео", audio: "Аудио", file: "Файл" },
};

export type Lines = Filled<typeof en>;

const LINES = inLanguages(en, { es, ru });

/** In the customer's language if available, else in the channel's. */
export const linesFor = (locale: string | null | undefined, channel: Language): Lines =>
  LINES[languageOf(locale) ?? channel];
