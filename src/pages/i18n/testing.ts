import type { Translation } from "gangway-messenger/language";

/** Texts of the test of a messenger's connection. */
export const en = {
  button: "Test the connection",
  title: "Connection test",
  again: "Test again",
  well: "Every part of the connection works. Now send a message both ways.",
  broken: "Part of the connection does not work. Messages from customers are kept meanwhile.",
  left: "Everything works so far, but there is something left for you to do.",
  ok: "Works",
  failed: "Does not work",
  unfinished: "Not finished",
  hops: {
    crm: "Your CRM and the API key",
    gateway: "The CRM's chats",
    channel: "This channel in the CRM's chats",
    messenger: "The messenger",
  },
  gateway: "Unexpected answer: {detail}. Try connecting the account again.",
} as const;

export const es: Translation<typeof en> = {
  button: "Probar la conexión",
  title: "Prueba de la conexión",
  again: "Probar de nuevo",
  well: "Todas las partes de la conexión funcionan. Envíe ahora un mensaje de ida y vuelta.",
  broken: "Una parte de la conexión no funciona. Mientras tanto, se guarda lo que escriben los clientes.",
  left: "De momento todo funciona, pero falta algo que debe hacer usted.",
  ok: "Funciona",
  failed: "No funciona",
  unfinished: "Sin terminar",
  hops: {
    crm: "Su CRM y la clave API",
    gateway: "Los chats del CRM",
    channel: "Este canal en los chats del CRM",
    messenger: "El servicio de mensajería",
  },
  gateway: "Respuesta inesperada: {detail}. Pruebe a conectar la cuenta de nuevo.",
};

export const ru: Translation<typeof en> = {
  button: "Проверить подключение",
  title: "Проверка подключения",
  again: "Проверить ещё раз",
  well: "Все части подключения работают. Теперь отправьте сообщение туда и обратно.",
  broken: "Часть подключения не работает. Сообщения клиентов тем временем сохраняются.",
  left: "Пока всё работает, но кое-что осталось сделать вам.",
  ok: "Работает",
  failed: "Не работает",
  unfinished: "Не завершено",
  hops: {
    crm: "Ваша CRM и API-ключ",
    gateway: "Чаты CRM",
    channel: "Этот канал в чатах CRM",
    messenger: "Мессенджер",
  },
  gateway: "Неожиданный ответ: {detail}. Попробуйте подключить аккаунт заново.",
};
