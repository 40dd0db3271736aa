import type { Explanation } from "gangway-messenger/explanations";
import { sharedExplanations } from "gangway-meta/explanations";
import { meaning, messagingExplanations } from "gangway-meta/messaging/explanations";

/** What Messenger refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  ...meaning(
    "Meta has restricted this page for some time",
    "Meta ha restringido esta página durante un tiempo",
    "Meta на время ограничила эту страницу",
  ),
  {
    en: "this server cannot reach Messenger, or something else answers in its place",
    es: "este servidor no puede conectar con Messenger, o responde otro en su lugar",
    ru: "сервер не может связаться с Messenger, или вместо него отвечает кто-то другой",
  },
  {
    en: "Messenger no longer sends this page's messages here: somebody has removed the subscription",
    es: "Messenger ya no envía aquí los mensajes de esta página: alguien ha quitado la suscripción",
    ru: "Messenger больше не передаёт сюда сообщения этой страницы: кто-то удалил подписку",
  },
  {
    en: "the app has no webhook for pages any more: somebody has removed it",
    es: "la aplicación ya no tiene un webhook para páginas: alguien lo ha quitado",
    ru: "у приложения больше нет вебхука для страниц: кто-то его удалил",
  },
  {
    en: "another server has taken over this app ({host}) and gets its messages",
    es: "otro servidor se ha quedado con esta aplicación ({host}) y recibe sus mensajes",
    ru: "это приложение забрал другой сервер ({host}), теперь сообщения получает он",
  },
  {
    en: "another server receives this app's messages now ({host}). Disconnect it there, or allow the takeover",
    es: "otro servidor recibe ahora los mensajes de esta aplicación ({host}). Desconéctela allí o permita traerla aquí",
    ru: "сейчас сообщения этого приложения получает другой сервер ({host}). Отключите его там или разрешите забрать приложение сюда",
  },
  {
    en: "this token is not of the page with this ID, but of {name}. Copy the page's own token, or correct the ID",
    es: "este token no es de la página con este identificador, sino de {name}. Copie el token de la página o corrija el identificador",
    ru: "этот токен не от страницы с таким идентификатором, а от {name}. Скопируйте токен самой страницы или исправьте идентификатор",
  },
  {
    en: "this token is a person's, not the page's. Copy the page's own token",
    es: "este token es de una persona, no de la página. Copie el token de la página",
    ru: "это токен человека, а не страницы. Скопируйте токен самой страницы",
  },
  {
    en: "Meta does not accept this token. Make a new one for the page, and paste it here",
    es: "Meta no acepta este token. Genere uno nuevo para la página y péguelo aquí",
    ru: "Meta не принимает этот токен. Создайте для страницы новый и вставьте его сюда",
  },
  {
    en: "Meta does not say which app this token belongs to. Make a new one, and paste it here",
    es: "Meta no indica a qué aplicación pertenece este token. Genere uno nuevo y péguelo aquí",
    ru: "Meta не сообщает, какому приложению принадлежит этот токен. Создайте новый и вставьте его сюда",
  },
  {
    en: "this app secret is not of the app that the token belongs to. Copy it again from the app's settings",
    es: "esta clave secreta no es de la aplicación a la que pertenece el token. Cópiela de nuevo de la configuración de la aplicación",
    ru: "этот секрет не от того приложения, которому принадлежит токен. Скопируйте его ещё раз из настроек приложения",
  },
  {
    en: "Meta has not accepted this server's address. {said}",
    es: "Meta no ha aceptado la dirección de este servidor. {said}",
    ru: "Meta не приняла адрес этого сервера. {said}",
  },
  {
    en: "should be the page's ID: digits only",
    es: "debe ser el identificador de la página: solo dígitos",
    ru: "нужен идентификатор страницы: только цифры",
  },
  {
    en: "should be the whole page token, as Meta shows it",
    es: "debe ser el token completo de la página, tal como lo muestra Meta",
    ru: "нужен токен страницы целиком, как его показывает Meta",
  },
  {
    en: "should be the app secret: 32 letters and digits",
    es: "debe ser la clave secreta de la aplicación: 32 letras y dígitos",
    ru: "нужен секрет приложения: 32 буквы и цифры",
  },
  ...messagingExplanations,
  ...sharedExplanations,
];
