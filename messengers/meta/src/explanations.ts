import type { Explanation } from "gangway-messenger/explanations";

/** Refusals that Meta's networks have in common, and the remedy, in each language. */
export const sharedExplanations: readonly Explanation[] = [
  {
    en: "the token has expired. {said}",
    es: "el token ha caducado. {said}",
    ru: "срок действия токена истёк. {said}",
  },
  {
    en: "the token ended when its owner changed their password. {said}",
    es: "el token dejó de valer cuando su titular cambió la contraseña. {said}",
    ru: "токен перестал действовать, когда его владелец сменил пароль. {said}",
  },
  {
    en: "the app has been removed from the account. {said}",
    es: "la aplicación se ha quitado de la cuenta. {said}",
    ru: "приложение удалено из аккаунта. {said}",
  },
  {
    en: "the token is no longer valid. {said}",
    es: "el token ya no es válido. {said}",
    ru: "токен больше не действует. {said}",
  },
  {
    en: "the app may not use this API. {said}",
    es: "la aplicación no puede usar esta API. {said}",
    ru: "приложению не разрешён этот API. {said}",
  },
  {
    en: "the token lacks a permission. {said}",
    es: "al token le falta un permiso. {said}",
    ru: "токену не хватает разрешения. {said}",
  },
  {
    en: "the token lacks a permission: {missing}",
    es: "al token le falta un permiso: {missing}",
    ru: "токену не хватает разрешения: {missing}",
  },
  {
    en: "Meta has blocked this for breaking its policies. {said}",
    es: "Meta lo ha bloqueado por incumplir sus políticas. {said}",
    ru: "Meta заблокировала это за нарушение её правил. {said}",
  },
  {
    en: "the token has expired",
    es: "el token ha caducado",
    ru: "срок действия токена истёк",
  },
  {
    en: "the token expires soon: {date}",
    es: "el token caduca pronto: {date}",
    ru: "скоро истечёт срок действия токена: {date}",
  },
  {
    en: "the owner has removed this app from the account at Meta. Connect it again",
    es: "el titular ha quitado esta aplicación de la cuenta en Meta. Conéctela de nuevo",
    ru: "владелец удалил это приложение из аккаунта Meta. Подключите его снова",
  },
  {
    en: "the owner has removed this app from the account at Meta and had their access data erased. Connect it again",
    es: "el titular ha quitado esta aplicación de la cuenta en Meta y ha hecho borrar sus datos de acceso. Conéctela de nuevo",
    ru: "владелец удалил это приложение из аккаунта Meta, и его данные доступа стёрты. Подключите его снова",
  },
  {
    en: "what Meta sends here is signed with another app secret than the stored one. Copy it again from the app's settings, and paste it here",
    es: "lo que Meta envía aquí está firmado con otra clave secreta de la aplicación que la guardada. Cópiela de nuevo en la configuración de la aplicación y péguela aquí",
    ru: "то, что Meta присылает сюда, подписано другим секретом приложения, чем сохранённый. Снова скопируйте его из настроек приложения и вставьте сюда",
  },
  {
    en: "{network} no longer has the file",
    es: "{network} ya no tiene el archivo",
    ru: "в {network} этого файла больше нет",
  },
  {
    en: "{network} gave no usable address",
    es: "{network} no dio una dirección válida",
    ru: "{network} не дал пригодного адреса",
  },
  {
    en: "the login at Meta was cancelled",
    es: "se ha cancelado el inicio de sesión en Meta",
    ru: "вход в Meta отменён",
  },
  { en: "the file is too large", es: "el archivo es demasiado grande", ru: "файл слишком большой" },
  {
    en: "{network} sent an unexpected answer ({what})",
    es: "{network} envió una respuesta inesperada ({what})",
    ru: "{network} прислал неожиданный ответ ({what})",
  },
];
