import type { Explanation } from "gangway-messenger/explanations";

/** What Avito has refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  {
    stored: "should be the Client_id, exactly as Avito shows it",
    en: "copy the Client_id exactly as Avito shows it",
    es: "copie el Client_id exactamente como lo muestra Avito",
    ru: "скопируйте Client_id в точности так, как его показывает Авито",
  },
  {
    stored: "should be the Client_secret, exactly as Avito shows it",
    en: "copy the Client_secret exactly as Avito shows it",
    es: "copie el Client_secret exactamente como lo muestra Avito",
    ru: "скопируйте Client_secret в точности так, как его показывает Авито",
  },
  {
    en: "Avito does not accept this Client_id and Client_secret. Copy both again from Avito",
    es: "Avito no acepta este Client_id y este Client_secret. Cópielos de nuevo de Avito",
    ru: "Авито не принимает эти Client_id и Client_secret. Скопируйте оба ещё раз из Авито",
  },
  {
    en: "Avito no longer accepts the credentials of this account. Check the Client_id and Client_secret",
    es: "Avito ya no acepta las credenciales de esta cuenta. Compruebe el Client_id y el Client_secret",
    ru: "Авито больше не принимает данные для входа этого аккаунта. Проверьте Client_id и Client_secret",
  },
  {
    stored:
      "the plan of this Avito account does not include messages by API. It needs the plan Maximum, in services also Extended: change it at Avito, then resume the messenger here",
    en: "the plan of this Avito account does not include messages by API. It needs the plan Maximum, in services also Extended: change it at Avito, then press Try again on the channel's page",
    es: "el plan de esta cuenta de Avito no incluye los mensajes por API. Hace falta el plan Máximo, en servicios también vale Ampliado: cámbielo en Avito y pulse «Intentarlo de nuevo» en la página del canal",
    ru: "тариф этого аккаунта Авито не включает сообщения по API. Нужен тариф «Максимальный», в услугах подойдёт и «Расширенный»: смените тариф на Авито и нажмите «Попробовать снова» на странице канала",
  },
  {
    en: "this server cannot reach Avito, or something else answers in its place",
    es: "este servidor no puede conectar con Avito, o responde otro en su lugar",
    ru: "сервер не может связаться с Авито, или вместо Авито отвечает кто-то другой",
  },
  {
    en: "Avito no longer sends this account's messages here: somebody has removed the webhook",
    es: "Avito ya no envía aquí los mensajes de esta cuenta: alguien ha quitado el webhook",
    ru: "Авито больше не передаёт сюда сообщения этого аккаунта: кто-то удалил webhook",
  },
  {
    en: "Avito does not know this chat. {said}",
    es: "Avito no conoce este chat. {said}",
    ru: "Авито не знает этого чата. {said}",
  },
  {
    en: "Avito does not let this account write here. {said}",
    es: "Avito no permite que esta cuenta escriba aquí. {said}",
    ru: "Авито не разрешает этому аккаунту писать сюда. {said}",
  },
  {
    en: "Avito refused a call once (status {status})",
    es: "Avito rechazó una llamada una vez (estado {status})",
    ru: "Авито один раз отклонил запрос (статус {status})",
  },
  {
    en: "Avito refused the credentials once",
    es: "Avito rechazó las credenciales una vez",
    ru: "Авито один раз отклонил данные для входа",
  },
  { en: "Avito asks to slow down", es: "Avito pide ir más despacio", ru: "Авито просит обращаться реже" },
  { en: "Avito cannot edit messages", es: "Avito no permite editar mensajes", ru: "Авито не умеет изменять сообщения" },
  { en: "Avito no longer has the file", es: "Avito ya no tiene el archivo", ru: "На Авито больше нет этого файла" },
  {
    en: "Avito gave no usable address of the file",
    es: "Avito no dio una dirección válida del archivo",
    ru: "Авито не дал пригодного адреса файла",
  },
  { en: "the file is too large", es: "el archivo es demasiado grande", ru: "файл слишком большой" },
  { en: "the file is not at the gateway", es: "el archivo no está en la pasarela", ru: "файла нет на шлюзе" },
  { en: "there is nothing to send", es: "no hay nada que enviar", ru: "нечего отправлять" },
  {
    en: "Avito sent an unexpected answer ({what})",
    es: "Avito envió una respuesta inesperada ({what})",
    ru: "Авито прислал неожиданный ответ ({what})",
  },
  {
    en: "Avito: status {status} ({what})",
    es: "Avito: estado {status} ({what})",
    ru: "Авито: статус {status} ({what})",
  },
  { en: "Avito: {said} ({what})", es: "Avito: {said} ({what})", ru: "Авито: {said} ({what})" },
  // Names of what was asked for.
  { en: "a message", es: "un mensaje", ru: "сообщение" },
  { en: "a file", es: "un archivo", ru: "файл" },
  { en: "a voice message", es: "un mensaje de voz", ru: "голосовое сообщение" },
  { en: "an upload", es: "una subida", ru: "загрузка" },
  { en: "a deletion", es: "una eliminación", ru: "удаление" },
  { en: "a read mark", es: "una marca de lectura", ru: "отметка о прочтении" },
  { en: "a chat", es: "un chat", ru: "чат" },
  { en: "the chats", es: "los chats", ru: "чаты" },
  { en: "the messages of a chat", es: "los mensajes de un chat", ru: "сообщения чата" },
  { en: "the account", es: "la cuenta", ru: "аккаунт" },
  { en: "the subscriptions", es: "las suscripciones", ru: "подписки" },
  { en: "the webhook", es: "el webhook", ru: "вебхук" },
  { en: "a token", es: "un token", ru: "токен" },
];
