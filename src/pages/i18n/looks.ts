import type { Translation } from "gangway-messenger/language";

/** Texts around a page's content: ways through it, and what helps with long lists and values. */
export const en = {
  skip: "Skip to the content",
  menu: "Menu",
  close: "Close",
  parts: "Parts of this page",
  pages: "Pages of this account",
  sections: {
    channels: "Channels",
    messages: "Messages",
    activity: "Activity",
    customers: "Customer data",
    settings: "Settings",
  },
  tabs: { overview: "Overview", setup: "Set-up", danger: "Pause or remove" },
  firstSteps: {
    title: "First steps",
    done: "done",
    connected: "Connected",
    message: "First message from a customer",
    answer: "First answer from the CRM",
  },
  undelivered: "undelivered:",
  crumbs: "Pages above this one",
  moreChannels: "{count, plural, one {# more channel} other {# more channels}}",
  copy: "Copy",
  copied: "Copied",
} as const;

export const es: Translation<typeof en> = {
  skip: "Ir al contenido",
  menu: "Menú",
  close: "Cerrar",
  parts: "Partes de esta página",
  pages: "Páginas de esta cuenta",
  sections: {
    channels: "Canales",
    messages: "Mensajes",
    activity: "Actividad",
    customers: "Datos de clientes",
    settings: "Ajustes",
  },
  tabs: { overview: "Resumen", setup: "Instalación", danger: "Pausar o quitar" },
  firstSteps: {
    title: "Primeros pasos",
    done: "hecho",
    connected: "Conectado",
    message: "Primer mensaje de un cliente",
    answer: "Primera respuesta desde el CRM",
  },
  undelivered: "sin entregar:",
  crumbs: "Páginas superiores",
  moreChannels: "{count, plural, one {# canal más} many {# de canales más} other {# canales más}}",
  copy: "Copiar",
  copied: "Copiado",
};

export const ru: Translation<typeof en> = {
  skip: "Перейти к содержимому",
  menu: "Меню",
  close: "Закрыть",
  parts: "Разделы страницы",
  pages: "Страницы этого аккаунта",
  sections: {
    channels: "Каналы",
    messages: "Сообщения",
    activity: "Действия",
    customers: "Данные клиентов",
    settings: "Настройки",
  },
  tabs: { overview: "Обзор", setup: "Установка", danger: "Пауза и удаление" },
  firstSteps: {
    title: "Первые шаги",
    done: "готово",
    connected: "Подключён",
    message: "Первое сообщение клиента",
    answer: "Первый ответ из CRM",
  },
  undelivered: "недоставленных:",
  crumbs: "Страницы выше",
  moreChannels: "{count, plural, one {Ещё # канал} few {Ещё # канала} many {Ещё # каналов} other {Ещё # канала}}",
  copy: "Копировать",
  copied: "Скопировано",
};
