import type { Explanation } from "gangway-messenger/explanations";

/** What Telegram refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  {
    en: "Telegram does not recognise this token. Copy it again from @BotFather",
    es: "Telegram no reconoce este token. Cópielo de nuevo de @BotFather",
    ru: "Telegram не распознаёт этот токен. Скопируйте его ещё раз из @BotFather",
  },
  {
    en: "Telegram no longer accepts this bot's token. Get the new one from @BotFather",
    es: "Telegram ya no acepta el token de este bot. Pida el nuevo a @BotFather",
    ru: "Telegram больше не принимает токен этого бота. Получите новый у @BotFather",
  },
  {
    en: "this server cannot reach Telegram, or something else answers in its place",
    es: "este servidor no puede conectar con Telegram, o responde otro en su lugar",
    ru: "сервер не может связаться с Telegram, или вместо Telegram отвечает кто-то другой",
  },
  {
    en: "this bot is connected to another service now ({host}). Disconnect it there, or allow the takeover",
    es: "este bot está conectado ahora a otro servicio ({host}). Desconéctelo allí o permita traerlo aquí",
    ru: "этот бот сейчас подключён к другому сервису ({host}). Отключите его там или разрешите забрать его сюда",
  },
  {
    en: "Telegram no longer sends this bot's messages here: somebody has removed the webhook",
    es: "Telegram ya no envía aquí los mensajes de este bot: alguien ha quitado el webhook",
    ru: "Telegram больше не передаёт сюда сообщения этого бота: кто-то удалил webhook",
  },
  {
    en: "another server has taken over this bot ({host}) and gets its messages",
    es: "otro servidor se ha quedado con este bot ({host}) y recibe sus mensajes",
    ru: "этого бота забрал другой сервер ({host}), теперь сообщения получает он",
  },
  {
    en: "Telegram cannot deliver messages: {reason}",
    es: "Telegram no puede entregar los mensajes: {reason}",
    ru: "Telegram не может доставить сообщения: {reason}",
  },
  {
    en: "this bot is closed to business accounts. In the chat with @BotFather write /mybots, choose it, then Bot Settings, Business Mode, Turn on",
    es: "este bot está cerrado a las cuentas de empresa. En el chat con @BotFather escriba /mybots, elíjalo y luego Bot Settings, Business Mode, Turn on",
    ru: "этот бот закрыт для бизнес-аккаунтов. В чате с @BotFather напишите /mybots, выберите его, затем Bot Settings, Business Mode, Turn on",
  },
  { en: "no reason given", es: "sin indicar el motivo", ru: "причина не указана" },
  {
    en: "another program receives this bot's messages, and Telegram delivers them only once. Stop that program, or create a new token with @BotFather",
    es: "otro programa recibe los mensajes de este bot, y Telegram los entrega una sola vez. Detenga ese programa o cree otro token con @BotFather",
    ru: "сообщения этого бота получает другая программа, а Telegram доставляет их только один раз. Остановите её или создайте у @BotFather новый токен",
  },
  {
    en: "{troubles}. Change it in Telegram, under Business, Chatbots",
    es: "{troubles}. Cámbielo en Telegram: Ajustes, Telegram Business, Chatbots",
    ru: "{troubles}. Измените это в Telegram: «Настройки», «Telegram для бизнеса», «Чат-боты»",
  },
  { en: "{one}, and {other}", es: "{one} y {other}", ru: "{one}; {other}" },
  {
    en: "the business account of {owner} has disconnected this bot",
    es: "la cuenta de empresa de {owner} ha desconectado este bot",
    ru: "бизнес-аккаунт {owner} отключил этого бота",
  },
  {
    stored: "the business account of {owner} does not let this bot reply",
    en: "the business account of {owner} does not allow this bot to reply",
    es: "la cuenta de empresa de {owner} no permite que este bot responda",
    ru: "бизнес-аккаунт {owner} не разрешает этому боту отвечать",
  },
  {
    en: "no Telegram account is connected to this bot yet. Do the first step of the Set-up tab in the account whose chats agents will answer",
    es: "todavía no hay ninguna cuenta de Telegram conectada a este bot. Siga el primer paso de la pestaña «Puesta en marcha» en la cuenta cuyos chats atenderán los agentes",
    ru: "к этому боту ещё не подключён ни один аккаунт Telegram. Выполните первый шаг со вкладки «Подключение» в аккаунте, в чатах которого будут отвечать менеджеры",
  },
  {
    en: "nothing has come from the Telegram account yet. In that account open Settings, Telegram Business, Chatbots, enter the bot's name unless it is there, and allow it to reply; then ask somebody to write to the account",
    es: "todavía no ha llegado nada de la cuenta de Telegram. En esa cuenta abra Ajustes, Telegram Business, Chatbots, introduzca el nombre del bot si no está y permítale responder; después pida a alguien que escriba a la cuenta",
    ru: "из аккаунта Telegram пока ничего не пришло. Откройте в нём «Настройки», «Telegram для бизнеса», «Чат-боты», введите имя бота, если его там нет, и разрешите ему отвечать, а затем попросите кого-нибудь написать в этот аккаунт",
  },
  {
    en: "the customer has deleted their Telegram account. {said}",
    es: "el cliente ha eliminado su cuenta de Telegram. {said}",
    ru: "клиент удалил свой аккаунт в Telegram. {said}",
  },
  {
    en: "the customer has blocked the bot. {said}",
    es: "el cliente ha bloqueado el bot. {said}",
    ru: "клиент заблокировал бота. {said}",
  },
  {
    en: "the customer has not started the bot yet. {said}",
    es: "el cliente aún no ha iniciado el bot. {said}",
    ru: "клиент ещё не запустил бота. {said}",
  },
  {
    en: "the bot is no longer in this group. {said}",
    es: "el bot ya no está en este grupo. {said}",
    ru: "бота больше нет в этой группе. {said}",
  },
  {
    stored: "Telegram no longer knows this customer. {said}",
    en: "Telegram can no longer find this customer. {said}",
    es: "Telegram ya no encuentra a este cliente. {said}",
    ru: "Telegram больше не находит этого клиента. {said}",
  },
  {
    en: "the bot lacks the rights for this in the group. {said}",
    es: "el bot no tiene permisos para esto en el grupo. {said}",
    ru: "у бота нет на это прав в группе. {said}",
  },
  {
    stored: "Telegram takes the bot's messages for spam. {said}",
    en: "Telegram considers the bot's messages spam. {said}",
    es: "Telegram considera spam los mensajes del bot. {said}",
    ru: "Telegram считает сообщения бота спамом. {said}",
  },
  {
    stored: "the business account does not let this bot into this chat. {said}",
    en: "the business account does not allow this bot in this chat. {said}",
    es: "la cuenta de empresa no permite este bot en este chat. {said}",
    ru: "бизнес-аккаунт не разрешает этому боту доступ к этому чату. {said}",
  },
  {
    en: "the customer has not written for 24 hours, so the bot may not reply for the business account. {said}",
    es: "el cliente lleva más de 24 horas sin escribir, así que el bot no puede responder en nombre de la cuenta de empresa. {said}",
    ru: "клиент не писал больше 24 часов, поэтому бот не может отвечать от имени бизнес-аккаунта. {said}",
  },
  {
    en: "the business account has disconnected this bot. {said}",
    es: "la cuenta de empresa ha desconectado este bot. {said}",
    ru: "бизнес-аккаунт отключил этого бота. {said}",
  },
  {
    stored: "the business account does not let this bot do this. {said}",
    en: "the business account does not allow this bot to do this. {said}",
    es: "la cuenta de empresa no permite que este bot haga esto. {said}",
    ru: "бизнес-аккаунт не разрешает это боту. {said}",
  },
  {
    en: "Telegram refused {method} once ({status})",
    es: "Telegram rechazó {method} una vez ({status})",
    ru: "Telegram один раз отклонил {method} ({status})",
  },
  {
    en: "Telegram sent an unexpected result for {method}",
    es: "Telegram envió un resultado inesperado para {method}",
    ru: "Telegram прислал неожиданный ответ на {method}",
  },
  {
    en: "Telegram gave no path for the file",
    es: "Telegram no dio la ruta del archivo",
    ru: "Telegram не сообщил путь к файлу",
  },
  {
    en: "Telegram no longer has the file",
    es: "Telegram ya no tiene el archivo",
    ru: "У Telegram больше нет этого файла",
  },
  {
    en: "Telegram has no method {method}",
    es: "Telegram no tiene el método {method}",
    ru: "У Telegram нет метода {method}",
  },
  {
    en: "this token belongs to another bot",
    es: "este token es de otro bot",
    ru: "этот токен принадлежит другому боту",
  },
  { en: "Telegram returned no message", es: "Telegram no devolvió ningún mensaje", ru: "Telegram не вернул сообщения" },
  {
    stored: "should look like 1234567890:AAF…, exactly as BotFather shows it",
    en: "copy the token exactly as BotFather shows it; it looks like 1234567890:AAF…",
    es: "copie el token exactamente como lo muestra BotFather; es como 1234567890:AAF…",
    ru: "скопируйте токен точно так, как его показывает BotFather, например 1234567890:AAF…",
  },
  {
    stored: "each line should be a Telegram user id, in digits",
    en: "enter one Telegram user id per line, digits only",
    es: "escriba un identificador de usuario de Telegram por línea, solo cifras",
    ru: "укажите в каждой строке идентификатор пользователя Telegram, только цифры",
  },
  {
    stored: "should be at most {most} owners",
    en: "enter at most {most, plural, one {# owner} other {# owners}}",
    es: "escriba {most, plural, one {# titular} many {# de titulares} other {# titulares}} como máximo",
    ru: "укажите не больше {most, plural, one {# владельца} few {# владельцев} many {# владельцев} other {# владельца}}",
  },
];
