import { type Filled, inLanguages, type Translation } from "gangway-messenger/language";

const en = {
  location: "Location",
  video: "Video",
  audio: "Audio",
  post: "[Post]",
  comment: "[Comment]",
  product: "[Product]",
  album: "[Collection of products]",
  poll: "[Poll]",
  story: "[Story]",
  link: "[Link]",
  article: "[Article]",
  call: "[Call]",
  gift: "[Gift]",
  forwarded: "Forwarded message:",
  forwardedFrom: "Forwarded from {name}:",
  pressed: "[Pressed a button: {what}]",
  unknown: "[Unsupported message type: {kind}]",
  empty: "[A message that VK does not pass on: open it in VK]",
  changed: "[Edited message]",
  denied: "The customer has forbidden messages from the community",
  allowed: "The customer allows messages from the community again",
} as const;

const es: Translation<typeof en> = {
  location: "Ubicación",
  video: "Video",
  audio: "Audio",
  post: "[Publicación]",
  comment: "[Comentario]",
  product: "[Producto]",
  album: "[Colección de productos]",
  poll: "[Encuesta]",
  story: "[Historia]",
  link: "[Enlace]",
  article: "[Artículo]",
  call: "[Llamada]",
  gift: "[Regalo]",
  forwarded: "Mensaje reenviado:",
  forwardedFrom: "Reenviado de {name}:",
  pressed: "[Ha pulsado un botón: {what}]",
  unknown: "[Tipo de mensaje no compatible: {kind}]",
  empty: "[Mensaje que VK no transmite: ábralo en VK]",
  changed: "[Mensaje editado]",
  denied: "El cliente ha prohibido los mensajes de la comunidad",
  allowed: "El cliente vuelve a permitir los mensajes de la comunidad",
};

const ru: Translation<typeof en> = {
  location: "Геопозиция",
  video: "Видео",
  audio: "Аудиозапись",
  post: "[Запись]",
  comment: "[Комментарий]",
  product: "[Товар]",
  album: "[Подборка товаров]",
  poll: "[Опрос]",
  story: "[История]",
  link: "[Ссылка]",
  article: "[Статья]",
  call: "[Звонок]",
  gift: "[Подарок]",
  forwarded: "Пересланное сообщение:",
  forwardedFrom: "Переслано от {name}:",
  pressed: "[Нажата кнопка: {what}]",
  unknown: "[Неподдерживаемый тип сообщения: {kind}]",
  empty: "[Сообщение, которое ВКонтакте не передаёт: откройте его в ВКонтакте]",
  changed: "[Изменённое сообщение]",
  denied: "Клиент запретил сообщения от сообщества",
  allowed: "Клиент снова разрешил сообщения от сообщества",
};

export type Lines = Filled<typeof en>;

/** The line that replaces what the CRM cannot show, in each language. */
export const LINES = inLanguages(en, { es, ru });
