import type { Translation } from "gangway-messenger/language";

/** Texts about a channel's health. */
export const en = {
  words: {
    off: "Waiting",
    paused: "Paused",
    stopped: "Stopped",
    failing: "Failing",
    troubled: "Has a problem",
    slow: "Slow",
    quiet: "Quiet",
    new: "Ready",
    working: "Working",
  },
  hints: {
    failing: "{failed, number} of the last {ended, number} messages were not delivered.",
    off: "The account is switched off or frozen in the CRM. Customers' messages wait until it is on again.",
    slow: "A message has been waiting since {since}. We keep trying until it arrives; nothing is lost.",
    quiet:
      "No messages since {since}: in the last two weeks it has never been this quiet at this time of day. If that surprises you, test the connection.",
    paused:
      "Customers' messages are kept and will reach the agents when you resume the channel. Until then agents cannot write.",
  },
  pause: "Pause",
  pauseAsk:
    "Nothing is lost: customers' messages are kept and will reach the agents when you resume the channel. Until then agents cannot write; what they have already written waits.",
  pauseConfirm: "Pause this channel",
  resume: "Resume",
  deliveredToday: "{count, number} delivered today",
  failedToday: "{count, number} failed",
  noneToday: "none today",
  noneYet: "no messages yet",
  deliveredTodayTitle: "Delivered today",
  failedTodayTitle: "Failed today",
  everTitle: "Since connected",
  lastInbound: "last from a customer {at}",
  lastOutbound: "last from an agent {at}",
  since: "Since {at}.",
  wait: "{count, plural, one {# message waits.} other {# messages wait.}}",
  comparedTitle: "Compared with {title}",
  comparedLead:
    "We regularly compare what has arrived with the messages that {title} lists. What is missing is fetched and passed on to the CRM.",
  compared:
    "Last compared {at}. Since the connection, {recovered, plural, =0 {no message was missing} one {# message was recovered} other {# messages were recovered}}.",
  behind:
    "A message sent after {at} that did not arrive by itself may still be missing: nothing has been compared with {title} since.",
  gap: "{title} no longer lists all messages between {from} and {to}: any message from that time that did not arrive by itself is missing.",
  importing: "Importing the messages of the {days} days before the connection: {count, number} so far",
  imported: "Messages of the {days} days before the connection: {count, number} imported",
  importedPartly: "{title} does not list all of them: some chats lack messages from before {at}.",
  chart: "The last two weeks",
  sum: "{delivered, plural, one {# message delivered} other {# messages delivered}} and {failed, plural, one {# failed} other {# failed}} in two weeks",
  numbers: "In figures",
  day: "Day",
  delivered: "Delivered",
  failed: "Failed",
} as const;

export const es: Translation<typeof en> = {
  words: {
    off: "En espera",
    paused: "En pausa",
    stopped: "Detenido",
    failing: "Con fallos",
    troubled: "Con problemas",
    slow: "Con retraso",
    quiet: "Sin actividad",
    new: "Listo",
    working: "Funciona",
  },
  hints: {
    failing:
      "De los últimos {ended, number} mensajes, {failed, plural, one {# no se entregó} many {# de ellos no se entregaron} other {# no se entregaron}}.",
    off: "La cuenta está desactivada o suspendida en el CRM. Los mensajes de los clientes esperan hasta que se active de nuevo.",
    slow: "Hay un mensaje en espera desde el {since}. Seguimos intentándolo hasta que llegue; no se pierde nada.",
    quiet:
      "No hay mensajes desde el {since}: en las dos últimas semanas nunca había habido tan poca actividad a esta hora. Si le sorprende, pruebe la conexión.",
    paused:
      "Los mensajes de los clientes se guardan y llegarán a los agentes cuando reanude el canal. Hasta entonces, los agentes no pueden escribir.",
  },
  pause: "Pausar",
  pauseAsk:
    "No se pierde nada: los mensajes de los clientes se guardan y llegarán a los agentes cuando reanude el canal. Hasta entonces, los agentes no pueden escribir; lo que ya hayan escrito quedará en espera.",
  pauseConfirm: "Pausar este canal",
  resume: "Reanudar",
  deliveredToday: "{count, plural, one {# entregado hoy} many {# entregados hoy} other {# entregados hoy}}",
  failedToday: "{count, plural, one {# no entregado} many {# no entregados} other {# no entregados}}",
  noneToday: "ninguno hoy",
  noneYet: "aún no hay mensajes",
  deliveredTodayTitle: "Entregados hoy",
  failedTodayTitle: "No entregados hoy",
  everTitle: "Desde la conexión",
  lastInbound: "último de un cliente: {at}",
  lastOutbound: "último de un agente: {at}",
  since: "Desde el {at}.",
  wait: "{count, plural, one {Hay # mensaje en espera.} many {Hay # de mensajes en espera.} other {Hay # mensajes en espera.}}",
  comparedTitle: "Comparación con {title}",
  comparedLead:
    "Comparamos periódicamente lo que ha llegado con los mensajes que muestra {title}. Lo que falta se recupera y se pasa al CRM.",
  compared:
    "Última comparación: {at}. Desde la conexión, {recovered, plural, =0 {no ha faltado ningún mensaje} one {se ha recuperado # mensaje} many {se han recuperado # de mensajes} other {se han recuperado # mensajes}}.",
  behind:
    "Puede faltar aún algún mensaje posterior al {at} que no llegó por sí mismo: {title} no se ha comparado desde entonces.",
  gap: "{title} ya no muestra todos los mensajes entre el {from} y el {to}: los de ese período que no llegaron por sí mismos faltan.",
  importing: "Se importan los mensajes de los {days} días anteriores a la conexión: {count, number} hasta ahora",
  imported: "Mensajes de los {days} días anteriores a la conexión: {count, number} importados",
  importedPartly: "{title} no los muestra todos: en algunos chats faltan mensajes anteriores al {at}.",
  chart: "Las dos últimas semanas",
  sum: "{delivered, plural, one {# mensaje entregado} many {# de mensajes entregados} other {# mensajes entregados}} y {failed, plural, one {# no entregado} many {# no entregados} other {# no entregados}} en dos semanas",
  numbers: "En cifras",
  day: "Día",
  delivered: "Entregados",
  failed: "No entregados",
};

export const ru: Translation<typeof en> = {
  words: {
    off: "Ожидает",
    paused: "На паузе",
    stopped: "Остановлен",
    failing: "Сбои доставки",
    troubled: "Есть проблема",
    slow: "Задержка",
    quiet: "Нет сообщений",
    new: "Готов",
    working: "Работает",
  },
  hints: {
    failing: "Из последних {ended, number} сообщений не доставлено: {failed, number}.",
    off: "Модуль выключен или заморожен в CRM. Сообщения клиентов сохраняются и будут доставлены, когда его снова включат.",
    slow: "Одно из сообщений ждёт доставки с {since}. Попытки продолжаются, ничего не потеряется.",
    quiet:
      "Сообщений нет с {since}: за последние две недели в это время суток так тихо не было. Если это неожиданно, проверьте подключение.",
    paused:
      "Сообщения клиентов сохраняются и придут менеджерам, когда вы снимете паузу. До этого менеджеры не могут писать клиентам.",
  },
  pause: "Поставить на паузу",
  pauseAsk:
    "Ничего не потеряется: сообщения клиентов сохраняются и придут менеджерам, когда вы снимете паузу. До этого менеджеры не могут писать клиентам, а уже написанное подождёт.",
  pauseConfirm: "Поставить канал на паузу",
  resume: "Снять с паузы",
  deliveredToday: "сегодня доставлено: {count, number}",
  failedToday: "не доставлено: {count, number}",
  noneToday: "сегодня нет",
  noneYet: "сообщений ещё не было",
  deliveredTodayTitle: "Доставлено сегодня",
  failedTodayTitle: "Не доставлено сегодня",
  everTitle: "С подключения",
  lastInbound: "последнее от клиента: {at}",
  lastOutbound: "последнее от менеджера: {at}",
  since: "С {at}.",
  wait: "{count, plural, one {Ждёт # сообщение.} few {Ждут # сообщения.} many {Ждут # сообщений.} other {Ждут # сообщения.}}",
  comparedTitle: "Сверка с {title}",
  comparedLead:
    "Мы регулярно сверяем пришедшие сообщения со списком в {title}. Недостающие загружаются и передаются в CRM.",
  compared:
    "Последняя сверка: {at}. С момента подключения {recovered, plural, =0 {пропущенных сообщений не было} one {восстановлено # сообщение} few {восстановлено # сообщения} many {восстановлено # сообщений} other {восстановлено # сообщения}}.",
  behind: "Сверки с {title} не было с {at}: если более позднее сообщение не пришло само, здесь его пока нет.",
  gap: "{title} больше не показывает все сообщения с {from} по {to}: тех из них, что не пришли сами, здесь нет.",
  importing: "Загружаются сообщения за {days} дней до подключения: уже {count, number}",
  imported: "Сообщения за {days} дней до подключения: загружено {count, number}",
  importedPartly: "{title} показывает не все: в некоторых чатах нет сообщений, написанных до {at}.",
  chart: "Последние две недели",
  sum: "За две недели доставлено {delivered, plural, one {# сообщение} few {# сообщения} many {# сообщений} other {# сообщения}}, не доставлено {failed, number}",
  numbers: "В цифрах",
  day: "День",
  delivered: "Доставлено",
  failed: "Не доставлено",
};
