import type { Language } from "./language.ts";
import type { Content, FilePart } from "./message.ts";
import { cutText } from "./split.ts";

/** A difference between what the agent wrote and what the customer gets. */
export interface Loss {
  code: "file-as-link" | "picture-as-file" | "picture-as-link" | "buttons" | "part";
  /** The file's name, the button's title, or the messenger's own message. */
  about?: string;
}

const WORDS: Record<Language, { head: string } & Record<Loss["code"], (about: string) => string>> = {
  en: {
    head: "The customer received this message differently from how you wrote it:",
    "file-as-link": (about) => `the file ${about} is too large for the messenger and was sent as a link`,
    "picture-as-file": (about) => `the picture ${about} was sent as a file`,
    "picture-as-link": (about) => `the picture of ${about} was sent as a link`,
    buttons: (about) => `the messenger has no button for “${about}”`,
    part: (about) => `a part could not be sent: ${about}`,
  },
  es: {
    head: "El cliente recibió este mensaje de otra forma:",
    "file-as-link": (about) => `el archivo ${about} es demasiado grande para el mensajero y se envió como enlace`,
    "picture-as-file": (about) => `la imagen ${about} se envió como archivo`,
    "picture-as-link": (about) => `la imagen de ${about} se envió como enlace`,
    buttons: (about) => `el mensajero no tiene un botón para «${about}»`,
    part: (about) => `no se pudo enviar una parte: ${about}`,
  },
  ru: {
    head: "Клиент получил это сообщение не таким, каким вы его отправили:",
    "file-as-link": (about) => `файл ${about} слишком велик для мессенджера и отправлен ссылкой`,
    "picture-as-file": (about) => `картинка ${about} отправлена файлом`,
    "picture-as-link": (about) => `картинка товара ${about} отправлена ссылкой`,
    buttons: (about) => `в мессенджере нет кнопки для «${about}»`,
    part: (about) => `часть сообщения не удалось отправить: ${about}`,
  },
};

export function lossText({ code, about }: Loss, language: Language): string {
  return WORDS[language][code](about ?? "").replace(/ {2,}/g, " ");
}

/** The note for the agent; undefined if nothing was lost. */
export function lossNote(losses: Loss[], language: Language): string | undefined {
  if (losses.length === 0) return undefined;
  const lines = [...new Set(losses.map((loss) => `– ${lossText(loss, language)}`))];
  return [WORDS[language].head, ...lines].join("\n");
}

const MISSING: Record<Language, (what: string) => string> = {
  en: (what) => `[${what}: the file could not be passed on]`,
  es: (what) => `[${what}: no se pudo transmitir el archivo]`,
  ru: (what) => `[${what}: файл не удалось передать]`,
};

/** The text that replaces a customer's file that could not be fetched. */
export function missingFileText({ name, size }: Pick<FilePart, "name" | "size">, language: Language): string {
  const what = [name ?? "", size === undefined ? "" : `${(size / 1_048_576).toFixed(1)} MB`].filter(Boolean);
  return MISSING[language](what.join(", ") || "…");
}

const ARRIVED: Record<Language, (words: string) => string> = {
  en: (words) => `This message was marked as not delivered, but it reached the customer: ${words}`,
  es: (words) => `Este mensaje se marcó como no entregado, pero llegó al cliente: ${words}`,
  ru: (words) => `Это сообщение было отмечено как недоставленное, но клиент его получил: ${words}`,
};
/** Maximum characters of a message quoted to identify it. */
const EXCERPT_LENGTH = 80;

/** The note for a message that was reported to the gateway as failed, but that a person has seen in the chat. */
export function arrivedText(content: Content, language: Language): string {
  const words = ("files" in content ? content.note : content.text) || "…";
  return ARRIVED[language](`“${cutText(words, EXCERPT_LENGTH)}”`);
}
