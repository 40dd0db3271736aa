import type { Explanation } from "gangway-messenger/explanations";
import { sharedExplanations } from "gangway-meta/explanations";
import { meaning, messagingExplanations } from "gangway-meta/messaging/explanations";

/** What Instagram refused, and the remedy, in each language. */
export const explanations: readonly Explanation[] = [
  ...meaning(
    "this comment has been answered in private already",
    "este comentario ya se ha respondido en privado",
    "на этот комментарий уже ответили в личных сообщениях",
  ),
  ...meaning(
    "this comment is too old to be answered in private",
    "este comentario es demasiado antiguo para responderlo en privado",
    "комментарий слишком старый, чтобы ответить на него в личных сообщениях",
  ),
  {
    en: "this server cannot reach Instagram, or something else answers in its place",
    es: "este servidor no puede conectar con Instagram, o responde otro en su lugar",
    ru: "сервер не может связаться с Instagram, или вместо него отвечает кто-то другой",
  },
  {
    en: "Instagram no longer sends this account's messages here: somebody has removed the subscription",
    es: "Instagram ya no envía aquí los mensajes de esta cuenta: alguien ha quitado la suscripción",
    ru: "Instagram больше не передаёт сюда сообщения этого аккаунта: кто-то удалил подписку",
  },
  {
    en: "Instagram does not accept this token. Generate a new one for the account, and paste it here",
    es: "Instagram no acepta este token. Genere uno nuevo para la cuenta y péguelo aquí",
    ru: "Instagram не принимает этот токен. Создайте для аккаунта новый и вставьте его сюда",
  },
  {
    en: "Instagram does not let apps see this account's messages. In its app, open Settings, Messages and story replies, Message controls, Connected tools, and allow access to messages",
    es: "Instagram no deja que las aplicaciones vean los mensajes de esta cuenta. En su aplicación, abra Configuración, Mensajes y respuestas a historias, Controles de mensajes, Herramientas conectadas, y permita el acceso a los mensajes",
    ru: "Instagram не показывает приложениям сообщения этого аккаунта. В приложении Instagram откройте «Настройки», «Сообщения и ответы на истории», «Управление сообщениями», «Подключённые инструменты» и разрешите доступ к сообщениям",
  },
  {
    en: "this token is of another account: {account}. Correct the ID, or generate a token for the right account",
    es: "este token es de otra cuenta: {account}. Corrija el identificador o genere un token para la cuenta correcta",
    ru: "этот токен от другого аккаунта: {account}. Исправьте идентификатор или создайте токен нужного аккаунта",
  },
  {
    en: "should be the ID of the Instagram account: digits only",
    es: "debe ser el identificador de la cuenta de Instagram: solo dígitos",
    ru: "нужен идентификатор аккаунта Instagram: только цифры",
  },
  {
    en: "should be the whole token, as Meta shows it",
    es: "debe ser el token completo, tal como lo muestra Meta",
    ru: "нужен токен целиком, как его показывает Meta",
  },
  {
    en: "should be the Instagram app secret: 32 letters and digits",
    es: "debe ser la clave secreta de la aplicación de Instagram: 32 letras y dígitos",
    ru: "нужен секрет приложения Instagram: 32 буквы и цифры",
  },
  ...messagingExplanations,
  ...sharedExplanations,
];
