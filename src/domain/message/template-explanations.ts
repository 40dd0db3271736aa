import type { InLanguages } from "../language.ts";

/** What is said of templates, whatever the messenger. */
export const TEMPLATE_EXPLANATIONS: readonly (InLanguages<string> & { stored?: string })[] = [
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
