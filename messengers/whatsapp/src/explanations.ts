import type { Explanation } from "gangway-messenger/explanations";
import { sharedExplanations } from "gangway-meta/explanations";
import { templateExplanations } from "./templates/explanations.ts";

/** What WhatsApp refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  ...meaning(
    "the customer has not written for 24 hours: only a template can be sent now",
    "el cliente no ha escrito en 24 horas: ahora solo se puede enviar una plantilla",
    "клиент не писал 24 часа: сейчас можно отправить только шаблон",
  ),
  ...meaning(
    "this customer has no WhatsApp, or cannot receive this message",
    "este cliente no tiene WhatsApp o no puede recibir este mensaje",
    "у клиента нет WhatsApp, или он не может получить это сообщение",
  ),
  ...meaning(
    "a number cannot write to itself",
    "un número no puede escribirse a sí mismo",
    "номер не может писать самому себе",
  ),
  ...meaning(
    "a test number may write only to the numbers that are listed for it at Meta",
    "un número de prueba solo puede escribir a los números que tiene registrados en Meta",
    "тестовый номер может писать только на номера из своего списка в Meta",
  ),
  ...meaning(
    "the customer has stopped marketing messages",
    "el cliente ha rechazado los mensajes de marketing",
    "клиент отказался от рекламных сообщений",
  ),
  ...meaning(
    "Meta does not deliver marketing messages to this customer now",
    "Meta no entrega ahora mensajes de marketing a este cliente",
    "Meta сейчас не доставляет этому клиенту рекламные сообщения",
  ),
  ...meaning(
    "Meta does not deliver this account's messages to the customer's country",
    "Meta no entrega los mensajes de esta cuenta en el país del cliente",
    "Meta не доставляет сообщения этого аккаунта в страну клиента",
  ),
  ...meaning(
    "Meta limits messages that customers report or ignore",
    "Meta limita los mensajes que los clientes denuncian o ignoran",
    "Meta ограничивает сообщения, на которые клиенты жалуются или не обращают внимания",
  ),
  ...meaning(
    "Meta has lowered this account's limit because of its templates",
    "Meta ha reducido el límite de esta cuenta por sus plantillas",
    "Meta снизила лимит этого аккаунта из-за его шаблонов",
  ),
  ...meaning(
    "this number is not registered for the Cloud API. Register it in WhatsApp Manager",
    "este número no está registrado en la Cloud API. Regístrelo en el administrador de WhatsApp",
    "этот номер не зарегистрирован в Cloud API. Зарегистрируйте его в WhatsApp Manager",
  ),
  ...meaning(
    "Meta has locked this WhatsApp account",
    "Meta ha bloqueado esta cuenta de WhatsApp",
    "Meta заблокировала этот аккаунт WhatsApp",
  ),
  ...meaning(
    "Meta cannot charge this account: check its payment method",
    "Meta no puede cobrar a esta cuenta: revise su forma de pago",
    "Meta не может списать оплату с этого аккаунта: проверьте способ оплаты",
  ),
  ...meaning(
    "the display name of this number is not approved yet",
    "el nombre visible de este número aún no está aprobado",
    "отображаемое имя этого номера ещё не одобрено",
  ),
  ...meaning(
    "Meta has turned off this number's messages",
    "Meta ha desactivado los mensajes de este número",
    "Meta отключила сообщения этого номера",
  ),
  ...meaning(
    "this kind of message needs the customer's phone number",
    "este tipo de mensaje necesita el número de teléfono del cliente",
    "для такого сообщения нужен номер телефона клиента",
  ),
  ...meaning(
    "WhatsApp does not accept this file or kind of message",
    "WhatsApp no admite este archivo o este tipo de mensaje",
    "WhatsApp не принимает этот файл или такой вид сообщения",
  ),
  ...meaning(
    "Meta has paused this template because of its quality",
    "Meta ha pausado esta plantilla por su calidad",
    "Meta приостановила этот шаблон из-за его качества",
  ),
  ...meaning(
    "Meta has disabled this template because of its quality",
    "Meta ha desactivado esta plantilla por su calidad",
    "Meta отключила этот шаблон из-за его качества",
  ),
  ...meaning(
    "there is no such approved template in this language",
    "no hay una plantilla aprobada así en este idioma",
    "нет такого одобренного шаблона на этом языке",
  ),
  ...meaning(
    "the template does not fit its variables",
    "la plantilla no encaja con sus variables",
    "шаблон не соответствует своим переменным",
  ),
  {
    en: "the token has lost the permission {right}: messages go on, but templates cannot be read or changed",
    es: "el token ha perdido el permiso {right}: los mensajes siguen, pero las plantillas no se pueden leer ni cambiar",
    ru: "токен потерял разрешение {right}: сообщения идут, но шаблоны нельзя ни прочитать, ни изменить",
  },
  {
    en: "Meta does not accept this token. Make a new one for the system user, and paste it here",
    es: "Meta no acepta este token. Genere otro para el usuario del sistema y péguelo aquí",
    ru: "Meta не принимает этот токен. Создайте новый для системного пользователя и вставьте его сюда",
  },
  {
    en: "Meta shows this token no such phone number ID: the ID is wrong, or the system user has no access to its account",
    es: "Meta no muestra a este token ese identificador de número: es incorrecto o el usuario del sistema no tiene acceso a su cuenta",
    ru: "Meta не показывает этому токену такой идентификатор номера: он неверен, или у системного пользователя нет доступа к аккаунту",
  },
  {
    en: "Meta shows this token no such WhatsApp Business Account ID: the ID is wrong, or the system user has no access to it",
    es: "Meta no muestra a este token ese identificador de cuenta de WhatsApp Business: es incorrecto o el usuario del sistema no tiene acceso",
    ru: "Meta не показывает этому токену такой идентификатор аккаунта WhatsApp Business: он неверен, или у системного пользователя нет доступа",
  },
  {
    en: "this phone number ID belongs to another WhatsApp Business account: check both IDs",
    es: "este identificador de número pertenece a otra cuenta de WhatsApp Business: revise ambos identificadores",
    ru: "этот идентификатор номера относится к другому аккаунту WhatsApp Business: проверьте оба идентификатора",
  },
  {
    en: "Meta does not let this number send now ({status})",
    es: "Meta no permite ahora que este número envíe mensajes ({status})",
    ru: "Meta сейчас не разрешает этому номеру отправлять сообщения ({status})",
  },
  {
    en: "Meta has not accepted this server's address. {said}",
    es: "Meta no ha aceptado la dirección de este servidor. {said}",
    ru: "Meta не приняла адрес этого сервера. {said}",
  },
  {
    en: "this server cannot reach WhatsApp, or something else answers in its place",
    es: "este servidor no puede conectar con WhatsApp, o responde otro en su lugar",
    ru: "сервер не может связаться с WhatsApp, или вместо него отвечает кто-то другой",
  },
  {
    en: "another server receives this account's messages now ({host}). Disconnect it there, or allow the takeover",
    es: "otro servidor recibe ahora los mensajes de esta cuenta ({host}). Desconéctela allí o permita traerla aquí",
    ru: "сообщения этого аккаунта сейчас получает другой сервер ({host}). Отключите его там или разрешите забрать аккаунт сюда",
  },
  {
    en: "another server has taken over this account ({host}) and gets its messages",
    es: "otro servidor se ha quedado con esta cuenta ({host}) y recibe sus mensajes",
    ru: "этот аккаунт забрал другой сервер ({host}), теперь сообщения получает он",
  },
  {
    en: "WhatsApp no longer sends this number's messages here: somebody has removed the subscription",
    es: "WhatsApp ya no envía aquí los mensajes de este número: alguien ha quitado la suscripción",
    ru: "WhatsApp больше не передаёт сюда сообщения этого номера: кто-то удалил подписку",
  },
  {
    en: "the app secret is missing: without it no webhook is proven",
    es: "falta la clave secreta de la aplicación: sin ella no se puede comprobar ningún webhook",
    ru: "нет секрета приложения: без него нельзя проверить вебхуки",
  },
  { en: "the message is empty", es: "el mensaje está vacío", ru: "сообщение пустое" },
  {
    en: "WhatsApp does not take files of this type",
    es: "WhatsApp no admite archivos de este tipo",
    ru: "WhatsApp не принимает файлы такого типа",
  },
  {
    en: "should be the whole token, as Meta or 360dialog shows it",
    es: "debe ser el token completo, como lo muestra Meta o 360dialog",
    ru: "нужен токен целиком, как его показывает Meta или 360dialog",
  },
  {
    en: "should be the phone number ID: digits only, and not the number itself",
    es: "debe ser el identificador del número: solo dígitos, y no el propio número",
    ru: "нужен идентификатор номера: только цифры, и это не сам номер",
  },
  {
    en: "should be the WhatsApp Business Account ID: digits only",
    es: "debe ser el identificador de la cuenta de WhatsApp Business: solo dígitos",
    ru: "нужен идентификатор аккаунта WhatsApp Business: только цифры",
  },
  {
    en: "should be the app secret: 32 characters, 0 to 9 and a to f",
    es: "debe ser la clave secreta de la aplicación: 32 caracteres, de 0 a 9 y de a a f",
    ru: "нужен секрет приложения: 32 символа от 0 до 9 и от a до f",
  },
  ...templateExplanations,
  ...sharedExplanations,
];

/** Alone, and before what Meta itself has said. */
function meaning(en: string, es: string, ru: string): Explanation[] {
  return [
    { en: `${en}. {said}`, es: `${es}. {said}`, ru: `${ru}. {said}` },
    { en, es, ru },
  ];
}
