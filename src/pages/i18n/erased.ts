import type { Translation } from "../../domain/catalog.ts";

/** Texts of the page for people who asked at their messenger for the erasure of their data. */
export const en = {
  pending: "Your data is being erased",
  done: "Your data is erased",
  asked: "You asked for it on {asked}. Look again later: this usually takes a few minutes.",
  ended: "We erased your messages, your name and everything else we had stored about you on {ended}.",
} as const;

export const es: Translation<typeof en> = {
  pending: "Estamos borrando sus datos",
  done: "Sus datos se han borrado",
  asked: "Lo solicitó el {asked}. Vuelva a consultar esta página más tarde: suele tardar unos minutos.",
  ended: "El {ended} borramos sus mensajes, su nombre y todo lo demás que habíamos guardado sobre usted.",
};

export const ru: Translation<typeof en> = {
  pending: "Ваши данные удаляются",
  done: "Ваши данные удалены",
  asked: "Вы запросили удаление {asked}. Загляните сюда позже: обычно это занимает несколько минут.",
  ended: "{ended} мы удалили ваши сообщения, имя и всё остальное, что о вас хранилось.",
};
