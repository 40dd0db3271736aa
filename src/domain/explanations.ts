import type { Explain, Explanation } from "gangway-messenger/explanations";
import type { InLanguages } from "gangway-messenger/language";

/** What is said of templates, whatever the messenger. */
const TEMPLATE_EXPLANATIONS: readonly (InLanguages<string> & { stored?: string })[] = [
  {
    en: "This messenger has no templates",
    es: "Este servicio de mensajería no tiene plantillas",
    ru: "В этом мессенджере нет шаблонов",
  },
  {
    stored: "Templates are made at the messenger",
    en: "Templates for this channel can only be created at the messenger itself",
    es: "Las plantillas de este canal solo se pueden crear en el propio servicio de mensajería",
    ru: "Шаблоны для этого канала можно создать только в самом мессенджере",
  },
  {
    en: "The messenger did not answer in time. If it has taken the template, it appears in the list within minutes; look there before you create it again",
    es: "El servicio de mensajería no respondió a tiempo. Si ha aceptado la plantilla, aparecerá en la lista en unos minutos; compruébelo antes de crearla de nuevo",
    ru: "Мессенджер не ответил вовремя. Если он принял шаблон, тот появится в списке через несколько минут; проверьте это, прежде чем создавать шаблон снова",
  },
  {
    en: "The messenger did not take the template ({reason}). Try again later",
    es: "El servicio de mensajería no aceptó la plantilla ({reason}). Inténtelo más tarde",
    ru: "Мессенджер не принял шаблон ({reason}). Попробуйте позже",
  },
  {
    en: "The first message in a chat must be a template, since the customer has not written yet",
    es: "El primer mensaje de un chat debe ser una plantilla, porque el cliente aún no ha escrito",
    ru: "Первое сообщение в чате должно быть шаблоном, так как клиент ещё не писал",
  },
  {
    en: "a message by template cannot be edited",
    es: "un mensaje enviado con plantilla no se puede editar",
    ru: "сообщение, отправленное по шаблону, нельзя изменить",
  },
  {
    stored: "the template's code is no part of an address",
    en: "the CRM's chats cannot store a template with this code",
    es: "los chats del CRM no pueden guardar una plantilla con este código",
    ru: "чаты CRM не могут сохранить шаблон с таким кодом",
  },
  {
    en: "The CRM's chats did not take {code}: {reason}",
    es: "Los chats del CRM no aceptaron {code}: {reason}",
    ru: "Чаты CRM не приняли {code}: {reason}",
  },
];

/** Whether an explanation matches the text: a translation always differs from the stored text. */
export const isExplained = (text: string, explain: Explain): boolean => explain(text, "ru") !== text;

/** With a capital letter and a full stop: explanations are also parts of sentences. */
export const sentence = (text: string): string => text && ended(text.charAt(0).toUpperCase() + text.slice(1));

/** With a full stop, unless it has an end of its own. */
export const ended = (text: string): string => (/[\p{L}\p{N})»”"’\]]$/u.test(text) ? `${text}.` : text);

/** Of the relay and the gateway; those of a messenger are in its folder. */
export const COMMON_EXPLANATIONS: readonly Explanation[] = [
  ...TEMPLATE_EXPLANATIONS,
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
    en: "Part {part} of {total} was not delivered: {reason}",
    es: "La parte {part} de {total} no se entregó: {reason}",
    ru: "Часть {part} из {total} не доставлена: {reason}",
  },
  {
    stored: "This module does not know this type of event",
    en: "This module does not support this type of event",
    es: "Este módulo no admite este tipo de evento",
    ru: "Модуль не поддерживает события этого типа",
  },
  {
    en: "This account has no such channel",
    es: "Esta cuenta no tiene ese canal",
    ru: "В этом аккаунте нет такого канала",
  },
  {
    en: 'the messenger "{kind}" is not installed on this server',
    es: "el servicio de mensajería «{kind}» no está instalado en este servidor",
    ru: "мессенджер «{kind}» не установлен на этом сервере",
  },
  {
    en: "Paused by {vendor}: {reason}",
    es: "En pausa por decisión de {vendor}: {reason}",
    ru: "Приостановлено поставщиком {vendor}: {reason}",
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
    stored: "This messenger cannot do that ({act})",
    en: "This messenger does not support that ({act})",
    es: "Este servicio de mensajería no admite eso ({act})",
    ru: "Этот мессенджер этого не поддерживает ({act})",
  },
  {
    stored: "Nobody has written in this chat, and this messenger cannot write first",
    en: "The customer has not written in this chat yet, and this messenger does not allow you to write first",
    es: "El cliente aún no ha escrito en este chat, y este servicio de mensajería no permite escribir primero",
    ru: "Клиент ещё не писал в этот чат, а этот мессенджер не позволяет писать первым",
  },
  {
    en: "The module is switched off or frozen in this account",
    es: "El módulo está desactivado o suspendido en esta cuenta",
    ru: "Модуль выключен или заморожен в этом аккаунте",
  },
  {
    en: "its deadline passed before it could be sent",
    es: "su plazo venció antes de que se pudiera enviar",
    ru: "срок отправки истёк",
  },
  {
    en: "its stored content cannot be read",
    es: "su contenido guardado no se puede leer",
    ru: "его сохранённое содержимое не удаётся прочитать",
  },
  {
    en: "the server stopped in the middle",
    es: "el servidor se detuvo a mitad del envío",
    ru: "сервер остановился во время отправки",
  },
  {
    en: "the server crashed each time it worked on this message",
    es: "el servidor falló cada vez que trabajó en este mensaje",
    ru: "сервер каждый раз аварийно останавливался на этом сообщении",
  },
  { en: "something went wrong in the server", es: "algo falló en el servidor", ru: "на сервере что-то пошло не так" },
  {
    en: "the messenger cannot tell whether it arrived",
    es: "el servicio de mensajería no puede confirmar si llegó",
    ru: "мессенджер не может подтвердить, дошло ли оно",
  },
  {
    stored: "the messenger cannot do that",
    en: "the messenger does not support that",
    es: "el servicio de mensajería no admite eso",
    ru: "мессенджер этого не поддерживает",
  },
  { en: "the channel was removed", es: "el canal se ha quitado", ru: "канал удалён" },
  {
    stored: "the account is gone",
    en: "the account no longer exists",
    es: "la cuenta ya no existe",
    ru: "аккаунта больше нет",
  },
  {
    stored: "the channel is not yet known to the gateway",
    en: "the CRM's chats do not know this channel yet",
    es: "los chats del CRM aún no conocen este canal",
    ru: "этот канал ещё не известен чатам CRM",
  },
  { en: "nothing could be sent", es: "no se pudo enviar nada", ru: "ничего не удалось отправить" },
  {
    en: "the URL is too long for a message of this messenger",
    es: "la dirección es demasiado larga para un mensaje de este servicio de mensajería",
    ru: "адрес слишком длинный для сообщения этого мессенджера",
  },
  {
    en: "the messenger's file server is too slow",
    es: "el servidor de archivos del servicio de mensajería es demasiado lento",
    ru: "файловый сервер мессенджера слишком медленный",
  },
  {
    en: "its other files are still to come",
    es: "sus otros archivos aún están por llegar",
    ru: "другие его файлы ещё не пришли",
  },
  {
    en: "the messenger offers no files",
    es: "el servicio de mensajería no ofrece archivos",
    ru: "мессенджер не передаёт файлы",
  },
  { en: "the file is no longer stored", es: "el archivo ya no está guardado", ru: "файл больше не хранится" },
  {
    stored: "the file is not at the gateway",
    en: "the CRM's chats do not have the file",
    es: "el archivo no está en los chats del CRM",
    ru: "файла нет в чатах CRM",
  },
  {
    stored: "the gateway gave no address for the file",
    en: "the CRM's chats gave no address for the file",
    es: "los chats del CRM no dieron una dirección para el archivo",
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
    es: "el archivo ocupa más de {bytes, plural, one {# byte} many {# de bytes} other {# bytes}}",
    ru: "файл больше {bytes, plural, one {# байта} few {# байт} many {# байт} other {# байта}}",
  },
  {
    stored: "gateway answered {status}: {said}",
    en: "the CRM's chats answered {status}: {said}",
    es: "los chats del CRM respondieron {status}: {said}",
    ru: "чаты CRM ответили {status}: {said}",
  },
  {
    stored: "gateway answered {status}",
    en: "the CRM's chats answered {status}",
    es: "los chats del CRM respondieron {status}",
    ru: "чаты CRM ответили {status}",
  },
  {
    stored: "gateway: no permit in time",
    en: "the CRM's chats are overloaded",
    es: "los chats del CRM están saturados",
    ru: "чаты CRM перегружены",
  },
  {
    stored: "gateway: {reason} ({detail})",
    en: "the CRM's chats: {reason} ({detail})",
    es: "chats del CRM: {reason} ({detail})",
    ru: "чаты CRM: {reason} ({detail})",
  },
  {
    stored: "the answer is not from the gateway (status {status}, {type})",
    en: "the answer is not from the CRM's chats (status {status}, {type})",
    es: "la respuesta no es de los chats del CRM (estado {status}, {type})",
    ru: "ответ пришёл не от чатов CRM (статус {status}, {type})",
  },
  {
    stored: "the gateway's address is not allowed: {detail}",
    en: "the address of the CRM's chats is not allowed: {detail}",
    es: "la dirección de los chats del CRM no está permitida: {detail}",
    ru: "адрес чатов CRM не разрешён: {detail}",
  },
  {
    en: "{network}'s address is not allowed: {detail}",
    es: "la dirección de {network} no está permitida: {detail}",
    ru: "адрес {network} не разрешён: {detail}",
  },
  {
    stored: "a response that is not {network}'s (status {status}, {what})",
    en: "the response is not from {network} (status {status}, {what})",
    es: "la respuesta no es de {network} (estado {status}, {what})",
    ru: "ответ пришёл не от {network} (статус {status}, {what})",
  },
  { stored: "aborted", en: "interrupted", es: "interrumpido", ru: "прервано" },
  {
    stored: "too-large",
    en: "the response is too large",
    es: "respuesta demasiado grande",
    ru: "слишком большой ответ",
  },
  {
    stored: "{network}: aborted ({what})",
    en: "{network}: interrupted ({what})",
    es: "{network}: interrumpido ({what})",
    ru: "{network}: прервано ({what})",
  },
  { stored: "timeout", en: "no answer in time", es: "sin respuesta a tiempo", ru: "нет ответа вовремя" },
  { stored: "refused", en: "connection refused", es: "conexión rechazada", ru: "соединение отклонено" },
  { stored: "reset", en: "connection lost", es: "conexión cortada", ru: "соединение разорвано" },
  {
    stored: "{network}: refused ({what})",
    en: "{network}: connection refused ({what})",
    es: "{network}: conexión rechazada ({what})",
    ru: "{network}: соединение отклонено ({what})",
  },
  {
    stored: "{network}: reset ({what})",
    en: "{network}: connection lost ({what})",
    es: "{network}: conexión cortada ({what})",
    ru: "{network}: соединение разорвано ({what})",
  },
  {
    stored: "{network}: timeout ({what})",
    en: "{network}: no answer in time ({what})",
    es: "{network}: sin respuesta a tiempo ({what})",
    ru: "{network}: нет ответа вовремя ({what})",
  },
];
