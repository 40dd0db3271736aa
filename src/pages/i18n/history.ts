import type { Translation } from "gangway-messenger/language";

/** Texts of the page that shows an account's visits and audit entries. */
export const en = {
  title: "History and sign-ins",
  visits: "Where you are signed in",
  visitsHint: "A sign-in ends by itself after twelve hours without use.",
  browser: "Unknown browser",
  thisOne: "this browser",
  used: "since {started}, last used {used}",
  usedOnly: "last used {used}",
  end: "Sign out there",
  endOthers: "Sign out everywhere else",
  ended: "Signed out.",
  acts: "Changes",
  none: "Nothing yet.",
  actors: {
    "account user": "a user of the account",
    operator: "the server's operator",
    crm: "your CRM",
    customer: "a customer",
  },
  actions: {
    "account connected": "The account was connected",
    "account connected again": "The account was connected again",
    "account disconnected": "The account was disconnected",
    "account moved": "The account's address changed",
    "account paused": "The account was paused",
    "account resumed": "The account was resumed",
    "account limits set": "The account's limits were changed",
    "channel added": "A channel was added",
    "channel not added: it could not be opened": "A channel was not added: it could not be connected",
    "channel edited": "A channel's settings were changed",
    "channel edit taken back: it was refused": "A change of settings was undone: the messenger refused it",
    "channel paused": "A channel was paused",
    "channel resumed": "A channel was switched on again",
    "channel removed": "A channel was removed",
    "message sent again": "{count, plural, one {A message was sent again} other {# messages were sent again}}",
    "message arrived":
      "{count, plural, one {A message was confirmed as delivered} other {# messages were confirmed as delivered}}",
    "message given up":
      "{count, plural, one {The delivery of a message was given up} other {The delivery of # messages was given up}}",
    "message discarded": "{count, plural, one {A message was discarded} other {# messages were discarded}}",
    "message restored":
      "{count, plural, one {A discarded message was restored} other {# discarded messages were restored}}",
    "message dropped": "{count, plural, one {A message was deleted} other {# messages were deleted}}",
    "webhooks run again": "Stored requests were searched for missing messages",
    "customer erased": "{count, plural, one {A customer's data was erased} other {The data of # customers was erased}}",
    "customer exported":
      "{count, plural, one {A customer's data was downloaded} other {The data of # customers was downloaded}}",
    "link made for support": "A link was made for the server's support",
    "account opened by support": "The server's support opened the account's pages",
    "visits ended": "Other browsers were signed out",
  },
} as const;

export const es: Translation<typeof en> = {
  title: "Historial y accesos",
  visits: "Sesiones abiertas",
  visitsHint: "Una sesión termina por sí sola tras doce horas sin uso.",
  browser: "Navegador desconocido",
  thisOne: "este navegador",
  used: "desde el {started}, último uso el {used}",
  usedOnly: "último uso el {used}",
  end: "Cerrar esa sesión",
  endOthers: "Cerrar todas las demás",
  ended: "La sesión se ha cerrado.",
  acts: "Cambios",
  none: "Todavía nada.",
  actors: {
    "account user": "un usuario de la cuenta",
    operator: "el administrador del servidor",
    crm: "su CRM",
    customer: "un cliente",
  },
  actions: {
    "account connected": "Se conectó la cuenta",
    "account connected again": "Se volvió a conectar la cuenta",
    "account disconnected": "Se desconectó la cuenta",
    "account moved": "Cambió la dirección de la cuenta",
    "account paused": "Se puso en pausa la cuenta",
    "account resumed": "Se reanudó la cuenta",
    "account limits set": "Cambiaron los límites de la cuenta",
    "channel added": "Se añadió un canal",
    "channel not added: it could not be opened": "No se añadió un canal: no se pudo conectar",
    "channel edited": "Se cambiaron los ajustes de un canal",
    "channel edit taken back: it was refused": "Se deshizo un cambio de ajustes: el servicio de mensajería lo rechazó",
    "channel paused": "Se puso en pausa un canal",
    "channel resumed": "Se volvió a activar un canal",
    "channel removed": "Se quitó un canal",
    "message sent again":
      "{count, plural, one {Se envió de nuevo un mensaje} many {Se enviaron de nuevo # de mensajes} other {Se enviaron de nuevo # mensajes}}",
    "message arrived":
      "{count, plural, one {Se confirmó la entrega de un mensaje} many {Se confirmó la entrega de # de mensajes} other {Se confirmó la entrega de # mensajes}}",
    "message given up":
      "{count, plural, one {Se desistió de entregar un mensaje} many {Se desistió de entregar # de mensajes} other {Se desistió de entregar # mensajes}}",
    "message discarded":
      "{count, plural, one {Se descartó un mensaje} many {Se descartaron # de mensajes} other {Se descartaron # mensajes}}",
    "message restored":
      "{count, plural, one {Se recuperó un mensaje descartado} many {Se recuperaron # de mensajes descartados} other {Se recuperaron # mensajes descartados}}",
    "message dropped":
      "{count, plural, one {Se eliminó un mensaje} many {Se eliminaron # de mensajes} other {Se eliminaron # mensajes}}",
    "webhooks run again": "Se buscaron mensajes que faltaban en las peticiones guardadas",
    "customer erased":
      "{count, plural, one {Se borraron los datos de un cliente} many {Se borraron los datos de # de clientes} other {Se borraron los datos de # clientes}}",
    "customer exported":
      "{count, plural, one {Se descargaron los datos de un cliente} many {Se descargaron los datos de # de clientes} other {Se descargaron los datos de # clientes}}",
    "link made for support": "Se creó un enlace para el soporte del servidor",
    "account opened by support": "El soporte del servidor abrió las páginas de la cuenta",
    "visits ended": "Se cerraron otras sesiones",
  },
};

export const ru: Translation<typeof en> = {
  title: "История и входы",
  visits: "Активные сеансы",
  visitsHint: "Сеанс завершается сам после двенадцати часов бездействия.",
  browser: "Неизвестный браузер",
  thisOne: "этот браузер",
  used: "с {started}, последнее действие {used}",
  usedOnly: "последнее действие {used}",
  end: "Завершить сеанс",
  endOthers: "Завершить все остальные сеансы",
  ended: "Сеанс завершён.",
  acts: "Изменения",
  none: "Пока ничего.",
  actors: {
    "account user": "пользователь аккаунта",
    operator: "администратор сервера",
    crm: "ваша CRM",
    customer: "клиент",
  },
  actions: {
    "account connected": "Аккаунт подключён",
    "account connected again": "Аккаунт подключён снова",
    "account disconnected": "Аккаунт отключён",
    "account moved": "Изменился адрес аккаунта",
    "account paused": "Работа аккаунта приостановлена",
    "account resumed": "Работа аккаунта возобновлена",
    "account limits set": "Изменены лимиты аккаунта",
    "channel added": "Добавлен канал",
    "channel not added: it could not be opened": "Канал не добавлен: подключить его не удалось",
    "channel edited": "Изменены настройки канала",
    "channel edit taken back: it was refused": "Изменение настроек отменено: мессенджер его не принял",
    "channel paused": "Канал поставлен на паузу",
    "channel resumed": "Канал снова включён",
    "channel removed": "Канал удалён",
    "message sent again":
      "{count, plural, one {Повторно отправлено # сообщение} few {Повторно отправлено # сообщения} many {Повторно отправлено # сообщений} other {Повторно отправлено # сообщения}}",
    "message arrived":
      "{count, plural, one {Подтверждена доставка # сообщения} few {Подтверждена доставка # сообщений} many {Подтверждена доставка # сообщений} other {Подтверждена доставка # сообщения}}",
    "message given up":
      "{count, plural, one {Отменена отправка # сообщения} few {Отменена отправка # сообщений} many {Отменена отправка # сообщений} other {Отменена отправка # сообщения}}",
    "message discarded":
      "{count, plural, one {Убрано из списка # сообщение} few {Убрано из списка # сообщения} many {Убрано из списка # сообщений} other {Убрано из списка # сообщения}}",
    "message restored":
      "{count, plural, one {Возвращено # убранное сообщение} few {Возвращено # убранных сообщения} many {Возвращено # убранных сообщений} other {Возвращено # убранного сообщения}}",
    "message dropped":
      "{count, plural, one {Удалено # сообщение} few {Удалено # сообщения} many {Удалено # сообщений} other {Удалено # сообщения}}",
    "webhooks run again": "Выполнен поиск недостающих сообщений в сохранённых запросах",
    "customer erased":
      "{count, plural, one {Стёрты данные # клиента} few {Стёрты данные # клиентов} many {Стёрты данные # клиентов} other {Стёрты данные # клиента}}",
    "customer exported":
      "{count, plural, one {Скачаны данные # клиента} few {Скачаны данные # клиентов} many {Скачаны данные # клиентов} other {Скачаны данные # клиента}}",
    "link made for support": "Создана ссылка для службы поддержки сервера",
    "account opened by support": "Служба поддержки сервера открыла страницы аккаунта",
    "visits ended": "Завершены другие сеансы",
  },
};
