import type { Translation } from "gangway-messenger/language";

/** Texts for checking forms while they are filled in. */
export const en = {
  checking: "Checking…",
  isCrm: "There is a CRM account at this address.",
  keysPage: "Open its API keys in a new tab",
  rights: "Rights of the API key",
  uses: {
    integration_read: "Read integration modules: whether this module is switched on",
    integration_write: "Change integration modules: connect and disconnect this one",
    settings_read: "Read the settings: the account's language and time zone",
    notification_write: "Send notifications: when a channel stops",
  },
  given: "Given",
  missing: "(missing)",
  optional: "(missing, not required)",
  login: "Found: {name}",
} as const;

export const es: Translation<typeof en> = {
  checking: "Comprobando…",
  isCrm: "En esta dirección hay una cuenta del CRM.",
  keysPage: "Abrir sus claves API en otra pestaña",
  rights: "Permisos de la clave API",
  uses: {
    integration_read: "Leer los módulos de integración: si este módulo está activado",
    integration_write: "Modificar los módulos de integración: conectar y desconectar este",
    settings_read: "Leer los ajustes: el idioma y la zona horaria de la cuenta",
    notification_write: "Enviar notificaciones: cuando un canal se detiene",
  },
  given: "Concedido",
  missing: "(falta)",
  optional: "(falta, no es obligatorio)",
  login: "Encontrado: {name}",
};

export const ru: Translation<typeof en> = {
  checking: "Проверяем…",
  isCrm: "По этому адресу есть аккаунт CRM.",
  keysPage: "Открыть его API-ключи в новой вкладке",
  rights: "Права API-ключа",
  uses: {
    integration_read: "Чтение модулей интеграции: включён ли этот модуль",
    integration_write: "Изменение модулей интеграции: подключение и отключение этого модуля",
    settings_read: "Чтение настроек: язык и часовой пояс аккаунта",
    notification_write: "Отправка уведомлений: когда канал остановился",
  },
  given: "Есть",
  missing: "(нет)",
  optional: "(нет, не обязательно)",
  login: "Найдено: {name}",
};
