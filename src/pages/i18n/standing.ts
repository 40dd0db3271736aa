import type { Translation } from "gangway-messenger/language";

/** Texts around a login's standing at its messenger. */
export const en = {
  title: "{title} status",
  asOf: "As of {at}.",
} as const;

export const es: Translation<typeof en> = {
  title: "Estado en {title}",
  asOf: "Datos del {at}.",
};

export const ru: Translation<typeof en> = {
  title: "Статус в {title}",
  asOf: "По состоянию на {at}.",
};
