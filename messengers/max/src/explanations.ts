import type { Explanation } from "gangway-messenger/explanations";

/** What MAX refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  {
    en: "MAX does not recognise this token. Copy it again from the bot's settings",
    es: "MAX no reconoce este token. Cópielo de nuevo de la configuración del bot",
    ru: "MAX не распознаёт этот токен. Скопируйте его ещё раз из настроек бота",
  },
  {
    en: "MAX no longer accepts this bot's token. Copy the new one from MAX",
    es: "MAX ya no acepta el token de este bot. Copie el nuevo desde MAX",
    ru: "MAX больше не принимает токен этого бота. Скопируйте новый в MAX",
  },
  {
    en: "this server cannot reach MAX, or something else answers in its place",
    es: "este servidor no puede conectar con MAX, o responde otro en su lugar",
    ru: "сервер не может связаться с MAX, или вместо него отвечает кто-то другой",
  },
  {
    en: "this bot is connected to another service now ({host}). Disconnect it there, or allow the takeover",
    es: "este bot está conectado ahora a otro servicio ({host}). Desconéctelo allí o permita traerlo aquí",
    ru: "этот бот сейчас подключён к другому сервису ({host}). Отключите его там или разрешите забрать его сюда",
  },
  {
    en: "another service has taken over this bot ({host}) and gets its messages",
    es: "otro servicio se ha quedado con este bot ({host}) y recibe sus mensajes",
    ru: "этого бота забрал другой сервис ({host}), теперь сообщения получает он",
  },
  {
    en: "another service has subscribed to this bot's messages, so MAX gives them to nobody who asks. Disconnect it there, or save this channel with the takeover allowed",
    es: "otro servicio se ha suscrito a los mensajes de este bot, así que MAX no se los da a quien los consulta. Desconéctelo allí o guarde este canal con el permiso de traerlo",
    ru: "на сообщения этого бота подписался другой сервис, поэтому MAX не отдаёт их по запросу. Отключите его там или сохраните этот канал с разрешением забрать бота",
  },
  {
    en: "MAX had ended the subscription to this bot's messages, as it does after eight hours without an answer. It is made again; messages that customers wrote meanwhile may be missing",
    es: "MAX había terminado la suscripción a los mensajes de este bot, como hace tras ocho horas sin respuesta. Se ha hecho de nuevo; pueden faltar mensajes que los clientes escribieron entretanto",
    ru: "MAX прекратил подписку на сообщения этого бота: так он делает после восьми часов без ответа. Подписка оформлена заново; сообщений, которые клиенты написали за это время, может не хватать",
  },
  {
    en: "MAX has not accepted this server's address. {said}",
    es: "MAX no ha aceptado la dirección de este servidor. {said}",
    ru: "MAX не принял адрес этого сервера. {said}",
  },
  {
    en: "the customer has stopped the bot. {said}",
    es: "el cliente ha detenido el bot. {said}",
    ru: "клиент остановил бота. {said}",
  },
  {
    stored: "MAX does not let this bot into this chat. {said}",
    en: "MAX does not allow this bot in this chat. {said}",
    es: "MAX no permite este bot en este chat. {said}",
    ru: "MAX не разрешает этому боту доступ к этому чату. {said}",
  },
  {
    stored: "MAX no longer knows this chat. {said}",
    en: "MAX can no longer find this chat. {said}",
    es: "MAX ya no encuentra este chat. {said}",
    ru: "MAX больше не находит этот чат. {said}",
  },
  {
    stored: "MAX no longer has it. {said}",
    en: "MAX can no longer find it. {said}",
    es: "MAX ya no lo encuentra. {said}",
    ru: "MAX больше этого не находит. {said}",
  },
  {
    en: "MAX has no address for the video yet",
    es: "MAX todavía no tiene la dirección del vídeo",
    ru: "у MAX пока нет адреса видео",
  },
  {
    en: "MAX refused the token once",
    es: "MAX rechazó el token una vez",
    ru: "MAX один раз отклонил токен",
  },
  {
    en: "MAX sent an unexpected answer ({what})",
    es: "MAX envió una respuesta inesperada ({what})",
    ru: "MAX прислал неожиданный ответ ({what})",
  },
  {
    en: "MAX does not take this file",
    es: "MAX no acepta este archivo",
    ru: "MAX не принимает этот файл",
  },
  {
    en: "MAX gave no address for the video",
    es: "MAX no dio la dirección del vídeo",
    ru: "MAX не сообщил адрес видео",
  },
  {
    en: "MAX gave no usable address for the file",
    es: "MAX no dio una dirección válida del archivo",
    ru: "MAX не сообщил пригодного адреса файла",
  },
  {
    en: "MAX no longer has the file",
    es: "MAX ya no tiene el archivo",
    ru: "У MAX больше нет этого файла",
  },
  {
    stored: "should be the whole token, as MAX shows it",
    en: "copy the whole token, exactly as MAX shows it",
    es: "copie el token completo, exactamente como lo muestra MAX",
    ru: "скопируйте токен целиком, точно так, как его показывает MAX",
  },
];
