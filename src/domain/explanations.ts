import type { InLanguages, Language } from "./language.ts";

// What went wrong is stored and logged in English. Readers get it in their language.

/** An English text, with `{placeholders}` for what differs, and its translations. */
export type Explanation = InLanguages<string>;

/** The text in the reader's language. One that no explanation fits, such as another system's, stays as it is. */
export type Explain = (text: string, language: Language) => string;

/** `own`: the messengers' explanations, which come before the common ones. */
export function createExplain(own: readonly Explanation[]): Explain {
  const known = [...own, ...COMMON].map((translations) => ({ translations, pattern: patternOf(translations.en) }));
  const explain: Explain = (text, language) => {
    if (language === "en" || text.length > MAX_LENGTH) return text;
    for (const { translations, pattern } of known) {
      const found = pattern.exec(text);
      // A placeholder may hold another explanation, as a reason does.
      if (found)
        return translations[language].replace(PLACEHOLDER, (_, name) => explain(found.groups?.[name] ?? "", language));
    }
    return text;
  };
  return explain;
}

/** Longer texts are not ours, UTF-16 units. */
const MAX_LENGTH = 1_000;
const PLACEHOLDER = /\{(\w+)\}/g;

function patternOf(english: string): RegExp {
  const literal = english.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(PLACEHOLDER, "(?<$1>.+)")}$`, "s");
}

/** Of the relay and the gateway; those of a messenger are in its folder. */
const COMMON: readonly Explanation[] = [
  {
    en: "The message could not be delivered in time",
    es: "El mensaje no se pudo entregar a tiempo",
    ru: "Сообщение не удалось доставить вовремя",
  },
  {
    en: "The message could not be delivered in time ({reason})",
    es: "El mensaje no se pudo entregar a tiempo ({reason})",
    ru: "Сообщение не удалось доставить вовремя ({reason})",
  },
  {
    en: "It is not known whether this message has reached the customer. Ask before you send it again",
    es: "No se sabe si este mensaje ha llegado al cliente. Pregunte antes de enviarlo de nuevo",
    ru: "Неизвестно, дошло ли это сообщение до клиента. Спросите, прежде чем отправлять его снова",
  },
  {
    en: "It is not known whether this message has reached the customer ({reason}). Ask before you send it again",
    es: "No se sabe si este mensaje ha llegado al cliente ({reason}). Pregunte antes de enviarlo de nuevo",
    ru: "Неизвестно, дошло ли это сообщение до клиента ({reason}). Спросите, прежде чем отправлять его снова",
  },
  {
    en: "This module does not know this type of event",
    es: "Este módulo no conoce este tipo de evento",
    ru: "Модуль не знает такого вида событий",
  },
  {
    en: "This account has no such channel",
    es: "Esta cuenta no tiene ese canal",
    ru: "В этом аккаунте нет такого канала",
  },
  { en: "The channel is paused", es: "El canal está en pausa", ru: "Канал на паузе" },
  { en: "the channel was paused", es: "el canal estaba en pausa", ru: "канал был на паузе" },
  {
    en: "The channel is stopped: {trouble}",
    es: "El canal está detenido: {trouble}",
    ru: "Канал остановлен: {trouble}",
  },
  { en: "its connection has failed", es: "ha fallado su conexión", ru: "его подключение не работает" },
  {
    en: "This messenger cannot do that ({act})",
    es: "Este mensajero no puede hacer eso ({act})",
    ru: "Этот мессенджер этого не умеет ({act})",
  },
  {
    en: "Nobody has written in this chat, and this messenger cannot write first",
    es: "Nadie ha escrito en este chat, y este mensajero no puede escribir primero",
    ru: "В этом чате никто не писал, а этот мессенджер не может писать первым",
  },
  {
    en: "The module is switched off or frozen in this account",
    es: "El módulo está desactivado o suspendido en esta cuenta",
    ru: "Модуль отключён или заморожен в этом аккаунте",
  },
  {
    en: "its deadline passed before it could be sent",
    es: "su plazo terminó antes de que se pudiera enviar",
    ru: "срок истёк раньше, чем его удалось отправить",
  },
  {
    en: "its stored content cannot be read",
    es: "su contenido guardado no se puede leer",
    ru: "его сохранённое содержимое не читается",
  },
  {
    en: "the server stopped in the middle",
    es: "el servidor se detuvo a mitad del envío",
    ru: "сервер остановился во время отправки",
  },
  {
    en: "the server crashed each time it worked on this message",
    es: "el servidor falló cada vez que trabajó en este mensaje",
    ru: "сервер каждый раз падал на этом сообщении",
  },
  { en: "something went wrong in the server", es: "algo falló en el servidor", ru: "на сервере что-то пошло не так" },
  {
    en: "the messenger cannot tell whether it arrived",
    es: "el mensajero no puede saber si llegó",
    ru: "мессенджер не может сказать, дошло ли оно",
  },
  { en: "the messenger cannot do that", es: "el mensajero no puede hacer eso", ru: "мессенджер этого не умеет" },
  { en: "the channel was removed", es: "el canal se ha quitado", ru: "канал удалён" },
  { en: "the account is gone", es: "la cuenta ya no existe", ru: "аккаунта больше нет" },
  {
    en: "the channel is not yet known to the gateway",
    es: "la pasarela aún no conoce el canal",
    ru: "чаты CRM ещё не знают этот канал",
  },
  { en: "nothing could be sent", es: "no se pudo enviar nada", ru: "ничего не удалось отправить" },
  {
    en: "the URL is too long for a message of this messenger",
    es: "la dirección es demasiado larga para un mensaje de este mensajero",
    ru: "адрес слишком длинный для сообщения этого мессенджера",
  },
  { en: "the messenger offers no files", es: "el mensajero no ofrece archivos", ru: "мессенджер не передаёт файлы" },
  { en: "the file is no longer stored", es: "el archivo ya no está guardado", ru: "файл больше не хранится" },
  { en: "the file is not at the gateway", es: "el archivo no está en la pasarela", ru: "файла нет в чатах CRM" },
  {
    en: "the gateway gave no address for the file",
    es: "la pasarela no dio una dirección para el archivo",
    ru: "чаты CRM не дали адреса файла",
  },
  {
    en: "the file is too large ({size})",
    es: "el archivo es demasiado grande ({size})",
    ru: "файл слишком большой ({size})",
  },
  {
    en: "the file is larger than its stated size",
    es: "el archivo es más grande de lo declarado",
    ru: "файл больше заявленного размера",
  },
  {
    en: "the file is larger than its declared size",
    es: "el archivo es más grande de lo declarado",
    ru: "файл больше заявленного размера",
  },
  {
    en: "the file is larger than {bytes} bytes",
    es: "el archivo ocupa más de {bytes} bytes",
    ru: "файл больше {bytes} байт",
  },
  {
    en: "gateway answered {status}: {said}",
    es: "la pasarela respondió {status}: {said}",
    ru: "чаты CRM ответили {status}: {said}",
  },
  { en: "gateway answered {status}", es: "la pasarela respondió {status}", ru: "чаты CRM ответили {status}" },
  { en: "gateway: no permit in time", es: "la pasarela está saturada", ru: "чаты CRM перегружены" },
  { en: "gateway: {reason} ({detail})", es: "pasarela: {reason} ({detail})", ru: "чаты CRM: {reason} ({detail})" },
  {
    en: "the answer is not from the gateway (status {status}, {type})",
    es: "la respuesta no es de la pasarela (estado {status}, {type})",
    ru: "ответ пришёл не от чатов CRM (статус {status}, {type})",
  },
  {
    en: "the gateway's address is not allowed: {detail}",
    es: "la dirección de la pasarela no está permitida: {detail}",
    ru: "адрес чатов CRM не разрешён: {detail}",
  },
  {
    en: "{network}'s address is not allowed: {detail}",
    es: "la dirección de {network} no está permitida: {detail}",
    ru: "адрес {network} не разрешён: {detail}",
  },
  {
    en: "a response that is not {network}'s (status {status}, {what})",
    es: "una respuesta que no es de {network} (estado {status}, {what})",
    ru: "ответ пришёл не от {network} (статус {status}, {what})",
  },
  { en: "aborted", es: "interrumpido", ru: "прервано" },
  { en: "too-large", es: "respuesta demasiado grande", ru: "слишком большой ответ" },
  { en: "{network}: aborted ({what})", es: "{network}: interrumpido ({what})", ru: "{network}: прервано ({what})" },
  { en: "timeout", es: "sin respuesta a tiempo", ru: "нет ответа вовремя" },
  { en: "refused", es: "conexión rechazada", ru: "соединение отклонено" },
  { en: "reset", es: "conexión cortada", ru: "соединение разорвано" },
  {
    en: "{network}: refused ({what})",
    es: "{network}: conexión rechazada ({what})",
    ru: "{network}: соединение отклонено ({what})",
  },
  {
    en: "{network}: reset ({what})",
    es: "{network}: conexión cortada ({what})",
    ru: "{network}: соединение разорвано ({what})",
  },
  {
    en: "{network}: timeout ({what})",
    es: "{network}: sin respuesta a tiempo ({what})",
    ru: "{network}: нет ответа вовремя ({what})",
  },
];
