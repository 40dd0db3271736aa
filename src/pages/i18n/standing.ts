import type { Translation } from "gangway-messenger/language";

/** Texts around what a messenger says of a login. */
export const en = {
  title: "What {title} says of this login",
  asOf: "As of {at}.",
} as const;

export const es: Translation<typeof en> = {
  title: "Lo que {title} dice de este canal",
  asOf: "Datos del {at}.",
};

export const ru: Translation<typeof en> = {
  title: "Что сообщает {title}",
  asOf: "По состоянию на {at}.",
};
