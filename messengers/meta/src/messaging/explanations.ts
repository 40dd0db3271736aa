import type { Explanation } from "gangway-messenger/explanations";

/** Puts the meaning from a table of refusals before Meta's own words. */
export const meaning = (en: string, es: string, ru: string): Explanation[] => [
  { en: `${en}. {said}`, es: `${es}. {said}`, ru: `${ru}. {said}` },
];

/** What both Messenger and Instagram refuse, and the remedy, in each language. */
export const messagingExplanations: readonly Explanation[] = [
  ...meaning(
    "the customer has not written for too long, so they cannot be answered",
    "el cliente lleva demasiado tiempo sin escribir, así que no se le puede responder",
    "клиент слишком давно не писал, поэтому ответить ему нельзя",
  ),
  {
    en: "the customer has not written for 24 hours, so they cannot be answered",
    es: "el cliente no ha escrito en 24 horas, así que no se le puede responder",
    ru: "клиент не писал 24 часа, поэтому ответить ему нельзя",
  },
  {
    en: "the customer has not written for {days} days, so they cannot be answered",
    es: "el cliente no ha escrito en {days} días, así que no se le puede responder",
    ru: "клиент не писал {days} дн., поэтому ответить ему нельзя",
  },
  ...meaning(
    "the customer cannot be reached: they may have blocked messages or left",
    "no se puede contactar con el cliente: quizá ha bloqueado los mensajes o se ha ido",
    "с клиентом нельзя связаться: возможно, он запретил сообщения или удалил аккаунт",
  ),
  ...meaning(
    "another app controls this conversation now",
    "otra aplicación controla ahora esta conversación",
    "этой перепиской сейчас управляет другое приложение",
  ),
  ...meaning("Meta knows no such customer", "Meta no conoce a este cliente", "Meta не знает такого клиента"),
  ...meaning(
    "the file is not what its type says",
    "el archivo no corresponde a su tipo",
    "содержимое файла не соответствует его типу",
  ),
  ...meaning("the file is too large", "el archivo es demasiado grande", "файл слишком большой"),
  ...meaning(
    "Meta could not fetch the picture",
    "Meta no pudo descargar la imagen",
    "Meta не смогла скачать изображение",
  ),
  {
    en: "the app secret is missing: without it no webhook is proven",
    es: "falta la clave secreta de la aplicación: sin ella no se puede comprobar ningún webhook",
    ru: "не указан секрет приложения: без него нельзя проверить вебхуки",
  },
  { en: "there is nothing to send", es: "no hay nada que enviar", ru: "отправлять нечего" },
];
