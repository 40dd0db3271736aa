import type { Translation } from "gangway-messenger/language";

/** Texts of a channel's list of templates. */
export const en = {
  title: "Message templates",
  lead: "The messenger reviews each template before agents can send it. Its list is copied to your CRM every hour, and after each review.",
  button: "Synchronise now",
  at: "Last synchronised: {at}.",
  never: "Not synchronised yet.",
  failed: "{at}: the last synchronisation failed. {text} It is repeated automatically.",
  none: "There are no templates yet. Create one in your CRM, or at the messenger.",
  more: "{count, plural, one {# more template is not shown.} other {# more templates are not shown.}}",
  lang: "Language",
  name: "Template",
  category: "Category",
  state: "State",
  quality: "Quality",
  states: {
    approved: "Approved",
    pending: "Under review",
    rejected: "Rejected",
    paused: "Paused",
    disabled: "Disabled",
  },
  hints: {
    paused: "Customers have complained about it. The messenger lets you send it again later.",
    disabled: "The messenger has disabled it for good. Create another one.",
  },
  unusable: "It cannot be sent from the CRM: {reason}.",
  categories: { marketing: "Marketing", utility: "Utility", authentication: "Authentication" },
  qualities: { high: "High", medium: "Medium", low: "Low", pending: "Not rated yet" },
  rejections: {
    abusive_content: "The messenger considers its content offensive. Change the wording and submit it again.",
    incorrect_category:
      "It does not fit its category. Choose another category, usually marketing, and submit it again.",
    invalid_format:
      "Its form is not allowed: check the variables, their examples and the header, then submit it again.",
    scam: "The messenger takes it for fraud. Describe clearly who you are and what the customer receives.",
  },
} as const;

export const es: Translation<typeof en> = {
  title: "Plantillas de mensajes",
  lead: "El servicio de mensajería revisa cada plantilla antes de que los agentes puedan enviarla. Su lista se copia a su CRM cada hora y después de cada revisión.",
  button: "Sincronizar ahora",
  at: "Última sincronización: {at}.",
  never: "Aún no se han sincronizado.",
  failed: "{at}: la última sincronización falló. {text} Se repite automáticamente.",
  none: "Aún no hay plantillas. Cree una en su CRM o en el servicio de mensajería.",
  more: "{count, plural, one {# plantilla más no se muestra.} many {# de plantillas más no se muestran.} other {# plantillas más no se muestran.}}",
  lang: "Idioma",
  name: "Plantilla",
  category: "Categoría",
  state: "Estado",
  quality: "Calidad",
  states: {
    approved: "Aprobada",
    pending: "En revisión",
    rejected: "Rechazada",
    paused: "En pausa",
    disabled: "Desactivada",
  },
  hints: {
    paused: "Los clientes se han quejado de ella. El servicio de mensajería permitirá enviarla de nuevo más adelante.",
    disabled: "El servicio de mensajería la ha desactivado definitivamente. Cree otra.",
  },
  unusable: "No se puede enviar desde el CRM: {reason}.",
  categories: { marketing: "Marketing", utility: "Utilidad", authentication: "Autenticación" },
  qualities: { high: "Alta", medium: "Media", low: "Baja", pending: "Aún sin valorar" },
  rejections: {
    abusive_content:
      "El servicio de mensajería considera ofensivo su contenido. Cambie el texto y envíela de nuevo a revisión.",
    incorrect_category:
      "No corresponde a su categoría. Elija otra, normalmente marketing, y envíela de nuevo a revisión.",
    invalid_format:
      "Su forma no está permitida: compruebe las variables, sus ejemplos y el encabezado, y envíela de nuevo a revisión.",
    scam: "El servicio de mensajería la considera un fraude. Explique con claridad quién es usted y qué recibe el cliente.",
  },
};

export const ru: Translation<typeof en> = {
  title: "Шаблоны сообщений",
  lead: "Мессенджер проверяет каждый шаблон, прежде чем менеджеры смогут его отправлять. Список шаблонов копируется в вашу CRM каждый час и после каждой проверки.",
  button: "Синхронизировать сейчас",
  at: "Последняя синхронизация: {at}.",
  never: "Синхронизации ещё не было.",
  failed: "{at}: последняя синхронизация не удалась. {text} Она повторится автоматически.",
  none: "Шаблонов пока нет. Создайте шаблон в CRM или в самом мессенджере.",
  more: "{count, plural, one {Ещё # шаблон не показан.} few {Ещё # шаблона не показаны.} many {Ещё # шаблонов не показаны.} other {Ещё # шаблона не показаны.}}",
  lang: "Язык",
  name: "Шаблон",
  category: "Категория",
  state: "Состояние",
  quality: "Качество",
  states: {
    approved: "Одобрен",
    pending: "На проверке",
    rejected: "Отклонён",
    paused: "Приостановлен",
    disabled: "Отключён",
  },
  hints: {
    paused: "На него жаловались клиенты. Позже мессенджер снова разрешит его отправлять.",
    disabled: "Мессенджер отключил его навсегда. Создайте другой.",
  },
  unusable: "Из CRM его отправить нельзя: {reason}.",
  categories: { marketing: "Маркетинг", utility: "Сервисное", authentication: "Аутентификация" },
  qualities: { high: "Высокое", medium: "Среднее", low: "Низкое", pending: "Ещё не оценено" },
  rejections: {
    abusive_content: "Мессенджер счёл содержание оскорбительным. Измените текст и отправьте шаблон на проверку снова.",
    incorrect_category:
      "Шаблон не подходит к своей категории. Выберите другую, обычно маркетинг, и отправьте его на проверку снова.",
    invalid_format:
      "Недопустимый вид: проверьте переменные, примеры для них и заголовок, затем отправьте шаблон на проверку снова.",
    scam: "Мессенджер счёл шаблон мошенническим. Ясно напишите, кто вы и что получит клиент.",
  },
};
