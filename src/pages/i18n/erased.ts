import type { Translation } from "gangway-messenger/language";

/** Texts of the page for people who requested the erasure of their data at their messenger. */
export const en = {
  pending: "Your data is being erased",
  done: "Your data is erased",
  asked: "You asked for it on {asked}. Look again later: this usually takes a few minutes.",
  ended:
    "We erased your messages, your name, the access that you had given us at the messenger and everything else we had stored about you on {ended}. What a business's customers wrote to it belongs to the business and stays with it.",
} as const;

export const es: Translation<typeof en> = {
  pending: "Estamos borrando sus datos",
  done: "Sus datos se han borrado",
  asked: "Lo solicitó el {asked}. Vuelva a consultar esta página más tarde: suele tardar unos minutos.",
  ended:
    "El {ended} borramos sus mensajes, su nombre, el acceso que nos había dado en el servicio de mensajería y todo lo demás que habíamos guardado sobre usted. Lo que los clientes escribieron a una empresa pertenece a la empresa y sigue en ella.",
};

export const ru: Translation<typeof en> = {
  pending: "Ваши данные удаляются",
  done: "Ваши данные удалены",
  asked: "Вы запросили удаление {asked}. Загляните сюда позже: обычно это занимает несколько минут.",
  ended:
    "{ended} мы удалили ваши сообщения, имя, доступ, который вы дали нам в мессенджере, и всё остальное, что о вас хранилось. То, что клиенты писали компании, принадлежит компании и остаётся у неё.",
};
