import type { Translation } from "gangway-messenger/language";

/** Texts of the pages that follow a message to the CRM and its answer back. */
export const en = {
  title: "A message both ways",
  lead: "Write to this channel as a customer does, then answer in the CRM. This page follows the first message that comes after {at}.",
  way: "The path of the message",
  stages: {
    stored: "Received from the customer and stored",
    handed: "Handed to the CRM's chats",
    answered: "Answer received from the CRM",
    sent: "Answer sent to the messenger",
    told: "Delivery reported to the agent",
  },
  states: { done: "Done", now: "Waiting", failed: "Failed", next: "Later" },
  now: {
    stored: "Write a message now.",
    handed: "It is on its way to the CRM.",
    answered: "Now answer it in the CRM.",
    sent: "It is on its way to the messenger.",
    told: "It is being reported to the CRM.",
  },
  unanswered:
    "If you have answered already, the CRM has not brought the answer to this server. Try connecting the account again.",
  reconnect: "Connect the account again",
  again: "It will be tried again at {at}.",
  over: "We won't retry it automatically. The page of undelivered messages says what to do.",
  whole: "The message went both ways: customers reach your CRM, and your answers reach them.",
  silence: {
    stopped: "The channel is stopped, so nothing comes from it: {detail}",
    troubled: "Nothing comes from the messenger: {detail}",
    paused:
      "The channel is paused: customers' messages are kept and will reach the agents when you resume it. Until then agents cannot write.",
    refused:
      "The last request came at {at} and was refused: it did not come from the messenger, or the site is not allowed to show the chat.",
    empty: "The last request came at {at}, but none has brought a message from a customer yet.",
    polled: "This server asks the messenger for messages and has received none since {at}.",
    nothing: "No request from the messenger has reached this server since {at}.",
  },
  remedy: "If this does not pass, save the channel's settings on its page: that connects it again.",
  play: "You are the customer",
  playHint:
    "You need no messenger for this: write as a customer of your shop, answer in the CRM, and see the answer here. It takes the same path as real messages.",
  open: "Write as the customer",
  text: "What the customer writes",
  sample: "Hello! Is the blue rope still in stock?",
  send: "Send as the customer",
  chat: "What the customer sees",
  silent: "Nothing yet.",
  from: { customer: "Customer", agent: "Agent" },
  empty: "Write something first.",
  "too-long": "Too long: at most {limit, plural, one {# character} other {# characters}}.",
  overload: "Too many messages are waiting. Try again in a minute.",
} as const;

export const es: Translation<typeof en> = {
  title: "Un mensaje de ida y vuelta",
  lead: "Escriba a este canal como lo hace un cliente y luego responda en el CRM. Esta página sigue el primer mensaje que llegue después de las {at}.",
  way: "El camino del mensaje",
  stages: {
    stored: "Recibido del cliente y guardado",
    handed: "Entregado a los chats del CRM",
    answered: "Respuesta recibida del CRM",
    sent: "Respuesta enviada al servicio de mensajería",
    told: "Entrega comunicada al agente",
  },
  states: { done: "Hecho", now: "En espera", failed: "Error", next: "Después" },
  now: {
    stored: "Escriba ahora un mensaje.",
    handed: "Va camino del CRM.",
    answered: "Respóndalo ahora en el CRM.",
    sent: "Va camino del servicio de mensajería.",
    told: "Se está comunicando al CRM.",
  },
  unanswered:
    "Si ya ha respondido, el CRM no ha traído la respuesta a este servidor. Pruebe a conectar la cuenta de nuevo.",
  reconnect: "Conectar la cuenta de nuevo",
  again: "Se intentará de nuevo a las {at}.",
  over: "No lo reintentaremos automáticamente: vea qué hacer en la página de mensajes no entregados.",
  whole: "El mensaje ha ido y vuelto: lo que escriben los clientes llega a su CRM, y ellos reciben sus respuestas.",
  silence: {
    stopped: "El canal está detenido, así que no llega nada de él: {detail}",
    troubled: "No llega nada del servicio de mensajería: {detail}",
    paused:
      "El canal está en pausa: los mensajes de los clientes se guardan y llegarán a los agentes cuando lo reanude. Hasta entonces, los agentes no pueden escribir.",
    refused:
      "La última petición llegó a las {at} y se rechazó: no era del propio servicio de mensajería, o su sitio no puede mostrar el chat.",
    empty: "La última petición llegó a las {at}, pero ninguna ha traído aún un mensaje de un cliente.",
    polled: "Este servidor pide los mensajes al servicio de mensajería y no ha recibido ninguno desde las {at}.",
    nothing: "Ninguna petición del servicio de mensajería ha llegado a este servidor desde las {at}.",
  },
  remedy: "Si sigue así, guarde los ajustes del canal en su página: eso lo conecta de nuevo.",
  play: "Usted es el cliente",
  playHint:
    "Para esto no necesita ningún servicio de mensajería: escriba como un cliente de su tienda, responda en el CRM y vea aquí la respuesta. Sigue el mismo camino que los mensajes de verdad.",
  open: "Escribir como el cliente",
  text: "Lo que escribe el cliente",
  sample: "¡Hola! ¿Les queda la cuerda azul?",
  send: "Enviar como el cliente",
  chat: "Lo que ve el cliente",
  silent: "Todavía nada.",
  from: { customer: "Cliente", agent: "Agente" },
  empty: "Escriba algo primero.",
  "too-long":
    "Demasiado largo: como máximo {limit, plural, one {# carácter} many {# de caracteres} other {# caracteres}}.",
  overload: "Hay demasiados mensajes en espera. Inténtelo de nuevo en un minuto.",
};

export const ru: Translation<typeof en> = {
  title: "Сообщение туда и обратно",
  lead: "Напишите в этот канал, как это делает клиент, затем ответьте в CRM. Страница следит за первым сообщением, пришедшим после {at}.",
  way: "Путь сообщения",
  stages: {
    stored: "Получено от клиента и сохранено",
    handed: "Передано в чаты CRM",
    answered: "Ответ получен из CRM",
    sent: "Ответ отправлен в мессенджер",
    told: "Статус передан менеджеру",
  },
  states: { done: "Готово", now: "Ожидается", failed: "Сбой", next: "Позже" },
  now: {
    stored: "Напишите сообщение.",
    handed: "Оно на пути в CRM.",
    answered: "Теперь ответьте на него в CRM.",
    sent: "Он на пути в мессенджер.",
    told: "Передаём результат в CRM.",
  },
  unanswered: "Если вы уже ответили, CRM не передала ответ этому серверу. Попробуйте подключить аккаунт заново.",
  reconnect: "Подключить аккаунт заново",
  again: "Следующая попытка в {at}.",
  over: "Автоматически больше не отправим; отправить можно на странице недоставленных.",
  whole: "Сообщение прошло туда и обратно: сообщения клиентов приходят в CRM, а ваши ответы — клиентам.",
  silence: {
    stopped: "Канал остановлен, поэтому из него ничего не приходит: {detail}",
    troubled: "Из мессенджера ничего не приходит: {detail}",
    paused:
      "Канал на паузе: сообщения клиентов сохраняются и придут менеджерам, когда вы её снимете. До этого менеджеры не могут писать клиентам.",
    refused:
      "Последний запрос пришёл в {at} и был отклонён: он не от самого мессенджера или с сайта, на котором чат показывать нельзя.",
    empty: "Последний запрос пришёл в {at}, но сообщения от клиента пока не было ни в одном.",
    polled: "Сервер сам запрашивает сообщения у мессенджера, но с {at} не получил ни одного.",
    nothing: "С {at} до сервера не дошло ни одного запроса от мессенджера.",
  },
  remedy: "Если это не пройдёт, сохраните настройки канала на его странице: он подключится заново.",
  play: "Вы — клиент",
  playHint:
    "Мессенджер для этого не нужен: напишите как клиент вашего магазина, ответьте в CRM и увидите ответ здесь. Путь тот же, что у настоящих сообщений.",
  open: "Написать от имени клиента",
  text: "Что пишет клиент",
  sample: "Здравствуйте! Синий канат ещё есть?",
  send: "Отправить от имени клиента",
  chat: "Что видит клиент",
  silent: "Пока ничего.",
  from: { customer: "Клиент", agent: "Менеджер" },
  empty: "Сначала напишите что-нибудь.",
  "too-long":
    "Слишком длинно: не больше {limit, plural, one {# символа} few {# символов} many {# символов} other {# символа}}.",
  overload: "Слишком много сообщений ждут отправки. Попробуйте через минуту.",
};
