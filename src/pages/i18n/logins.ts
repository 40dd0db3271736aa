import type { Translation } from "gangway-messenger/language";

/** Texts about connecting by a login at the messenger. */
export const en = {
  with: "Log in with {title}",
  hint: "{title} asks whether this module may act for you, then sends you back here. The module does not see your password.",
  or: "Or enter the credentials manually",
  renew: "Log in again",
  renewHint: "If {title} no longer accepts the stored credentials, a new login replaces them. Settings and chats stay.",
  title: "Connect {title}",
  which: "Choose what to connect",
  connect: "Connect selected",
  connected: "Already connected; select it to renew its credentials:",
  stopped: "Connected, but stopped; select it to make it work again:",
  seeIt: "See it:",
  unchosen: "Select at least one.",
  missing: "Not in the list?",
  missingHint: "When you log in with {title}, select everything you want to connect.",
  again: "Log in with {title} again",
  typed: "Enter the credentials manually",
  faults: {
    over: "This login has expired: it took more than ten minutes, or this server was restarted. Nothing has changed; log in again.",
    cancelled: "You have cancelled the login. Nothing has changed; you can log in again at any time.",
    empty:
      "This login has nothing to connect. Select at least one of the things you manage in {title}, or log in as somebody who manages one.",
    refused: "{title} refused the login: {detail}",
    away: "{title} could not be asked: {detail} Try again in a few minutes.",
  },
} as const;

export const es: Translation<typeof en> = {
  with: "Iniciar sesión con {title}",
  hint: "{title} le pregunta si este módulo puede actuar en su nombre y luego le trae de vuelta aquí. El módulo no ve su contraseña.",
  or: "O introduzca las credenciales manualmente",
  renew: "Iniciar sesión de nuevo",
  renewHint:
    "Si {title} ya no acepta las credenciales guardadas, un nuevo inicio de sesión las sustituye. Los ajustes y los chats se conservan.",
  title: "Conectar {title}",
  which: "Elija qué conectar",
  connect: "Conectar lo seleccionado",
  connected: "Ya está conectado; selecciónelo para renovar sus credenciales:",
  stopped: "Conectado, pero detenido; selecciónelo para que vuelva a funcionar:",
  seeIt: "Véalo:",
  unchosen: "Seleccione al menos uno.",
  missing: "¿No está en la lista?",
  missingHint: "En el inicio de sesión de {title}, seleccione todo lo que quiera conectar.",
  again: "Iniciar sesión de nuevo con {title}",
  typed: "Introducir las credenciales manualmente",
  faults: {
    over: "Este inicio de sesión ha caducado: pasaron más de diez minutos, o este servidor se reinició. Nada ha cambiado; inicie sesión de nuevo.",
    cancelled: "Ha cancelado el inicio de sesión. Nada ha cambiado; puede iniciarlo de nuevo en cualquier momento.",
    empty:
      "Con este inicio de sesión no hay nada que conectar. Seleccione al menos un elemento de los que administra en {title}, o inicie sesión con una cuenta que administre alguno.",
    refused: "{title} rechazó el inicio de sesión: {detail}",
    away: "No se pudo contactar con {title}: {detail} Inténtelo de nuevo en unos minutos.",
  },
};

export const ru: Translation<typeof en> = {
  with: "Войти через {title}",
  hint: "{title} спросит, можно ли модулю действовать от вашего имени, и вернёт вас сюда. Пароль модуль не видит.",
  or: "Или введите данные доступа вручную",
  renew: "Войти заново",
  renewHint:
    "Если {title} больше не принимает сохранённые данные доступа, новый вход их заменит. Настройки и чаты останутся.",
  title: "Подключение: {title}",
  which: "Выберите, что подключить",
  connect: "Подключить выбранное",
  connected: "Уже подключено; выберите, чтобы обновить данные доступа:",
  stopped: "Подключено, но остановлено; выберите, чтобы снова заработало:",
  seeIt: "Открыть:",
  unchosen: "Выберите хотя бы одно.",
  missing: "Нет в списке?",
  missingHint: "При входе через {title} отметьте всё, что хотите подключить.",
  again: "Войти через {title} ещё раз",
  typed: "Ввести данные доступа вручную",
  faults: {
    over: "Время входа истекло: прошло больше десяти минут, или сервер перезапускался. Ничего не изменилось; войдите ещё раз.",
    cancelled: "Вы отменили вход. Ничего не изменилось; войти можно в любой момент.",
    empty:
      "С этим входом подключать нечего. Отметьте хотя бы что-то из того, чем вы управляете в {title}, или войдите в аккаунт, у которого есть что подключить.",
    refused: "Вход через {title} отклонён: {detail}",
    away: "Не удалось обратиться к {title}: {detail} Повторите попытку через несколько минут.",
  },
};
