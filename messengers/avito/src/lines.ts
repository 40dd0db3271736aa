import { type Filled, inLanguages, type Translation } from "gangway-messenger/language";

const en = {
  about: "About the listing: {title}",
  location: "Location",
  missedCall: "[Missed call]",
  call: "[Call]",
  appCall: "[Call in Avito]",
  file: "[File: Avito passes it on to nobody, open it in Avito]",
  video: "[Video: Avito passes it on to nobody, open it in Avito]",
  image: "[Picture: open it in Avito]",
  voice: "[Voice message: open it in Avito]",
  item: "[Listing]",
  link: "[Link]",
  empty: "[Message without words: open it in Avito]",
  deleted: "[Deleted message]",
  unknown: "[Unsupported message type: {kind}]",
} as const;

const es: Translation<typeof en> = {
  about: "Sobre el anuncio: {title}",
  location: "Ubicación",
  missedCall: "[Llamada perdida]",
  call: "[Llamada]",
  appCall: "[Llamada en Avito]",
  file: "[Archivo: Avito no lo transmite, ábralo en Avito]",
  video: "[Video: Avito no lo transmite, ábralo en Avito]",
  image: "[Imagen: ábrala en Avito]",
  voice: "[Mensaje de voz: ábralo en Avito]",
  item: "[Anuncio]",
  link: "[Enlace]",
  empty: "[Mensaje sin texto: ábralo en Avito]",
  deleted: "[Mensaje eliminado]",
  unknown: "[Tipo de mensaje no compatible: {kind}]",
};

const ru: Translation<typeof en> = {
  about: "По объявлению: {title}",
  location: "Геопозиция",
  missedCall: "[Пропущенный звонок]",
  call: "[Звонок]",
  appCall: "[Звонок в Авито]",
  file: "[Файл: Авито его не передаёт, откройте в Авито]",
  video: "[Видео: Авито его не передаёт, откройте в Авито]",
  image: "[Изображение: откройте в Авито]",
  voice: "[Голосовое сообщение: откройте в Авито]",
  item: "[Объявление]",
  link: "[Ссылка]",
  empty: "[Сообщение без текста: откройте в Авито]",
  deleted: "[Удалённое сообщение]",
  unknown: "[Неподдерживаемый тип сообщения: {kind}]",
};

export type Lines = Filled<typeof en>;

/** The line that replaces what the CRM cannot show, in each language. */
export const LINES = inLanguages(en, { es, ru });
