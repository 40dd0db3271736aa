import type { Translation } from "gangway-messenger/language";

/** Texts around a page's content: ways through it, and what helps with long lists and values. */
export const en = {
  skip: "Skip to the content",
  pressing: "These messengers need your attention:",
  moreChannels: "{count, plural, one {# more messenger} other {# more messengers}}",
  copy: "Copy",
  copied: "Copied",
} as const;

export const es: Translation<typeof en> = {
  skip: "Ir al contenido",
  pressing: "Estos canales necesitan su atención:",
  moreChannels: "{count, plural, one {# canal más} many {# de canales más} other {# canales más}}",
  copy: "Copiar",
  copied: "Copiado",
};

export const ru: Translation<typeof en> = {
  skip: "Перейти к содержимому",
  pressing: "Этим мессенджерам нужно ваше внимание:",
  moreChannels:
    "{count, plural, one {Ещё # мессенджер} few {Ещё # мессенджера} many {Ещё # мессенджеров} other {Ещё # мессенджера}}",
  copy: "Копировать",
  copied: "Скопировано",
};
