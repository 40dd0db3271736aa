import { type Filled, inLanguages, type Translation } from "gangway-messenger/language";

const en = {
  location: "Location",
  post: "[Shared post]",
  reel: "[Shared reel]",
  story: "[Story]",
  link: "[Link]",
  template: "[Template]",
  product: "[About the product {code}]",
  disappearing: "[A photo or video that disappears: open it in the app]",
  appointment: "[Appointment]",
  repliedToStory: "Replying to your story:",
  mentioned: "Mentioned you in a story",
  unsupported: "[A message that the API does not pass on: open it in the app]",
  unknown: "[Unsupported message type: {kind}]",
  commented: "Comment on your post:",
  changed: "[Edited message]",
} as const;

const es: Translation<typeof en> = {
  location: "Ubicación",
  post: "[Publicación compartida]",
  reel: "[Reel compartido]",
  story: "[Historia]",
  link: "[Enlace]",
  template: "[Plantilla]",
  product: "[Sobre el producto {code}]",
  disappearing: "[Foto o video que desaparece: ábralo en la aplicación]",
  appointment: "[Cita]",
  repliedToStory: "En respuesta a su historia:",
  mentioned: "Le ha mencionado en una historia",
  unsupported: "[Mensaje que la API no transmite: ábralo en la aplicación]",
  unknown: "[Tipo de mensaje no compatible: {kind}]",
  commented: "Comentario en su publicación:",
  changed: "[Mensaje editado]",
};

const ru: Translation<typeof en> = {
  location: "Геопозиция",
  post: "[Публикация]",
  reel: "[Reels]",
  story: "[История]",
  link: "[Ссылка]",
  template: "[Шаблон]",
  product: "[О товаре {code}]",
  disappearing: "[Исчезающее фото или видео: откройте его в приложении]",
  appointment: "[Запись на приём]",
  repliedToStory: "В ответ на вашу историю:",
  mentioned: "Вас упомянули в истории",
  unsupported: "[Сообщение, которое API не передаёт: откройте его в приложении]",
  unknown: "[Неподдерживаемый тип сообщения: {kind}]",
  commented: "Комментарий к вашей публикации:",
  changed: "[Изменённое сообщение]",
};

export type Lines = Filled<typeof en>;

/** The line that replaces what the CRM cannot show, in each language. */
export const LINES = inLanguages(en, { es, ru });
