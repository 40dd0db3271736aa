import { inLanguages, type Language } from "./language.ts";
import type { Content, FilePart } from "./message.ts";
import type { Loss } from "./plan.ts";
import { excerptOf } from "./text.ts";

const WORDS = inLanguages(
  {
    head: "The customer received this message in a different form:",
    "file-as-link": "the file {about} is too large for the messenger and was sent as a link",
    "picture-as-file": "the picture {about} was sent as a file",
    "picture-as-link": "the picture of {about} was sent as a link",
    buttons: "the messenger has no button for “{about}”",
    part: "part of it could not be sent: {about}",
  },
  {
    es: {
      head: "El cliente recibió este mensaje de otra forma:",
      "file-as-link": "el archivo {about} es demasiado grande para el servicio de mensajería y se envió como enlace",
      "picture-as-file": "la imagen {about} se envió como archivo",
      "picture-as-link": "la imagen de {about} se envió como enlace",
      buttons: "el servicio de mensajería no admite un botón para «{about}»",
      part: "no se pudo enviar una parte: {about}",
    },
    ru: {
      head: "Клиент получил это сообщение в изменённом виде:",
      "file-as-link": "файл {about} слишком большой для мессенджера и отправлен ссылкой",
      "picture-as-file": "изображение {about} отправлено файлом",
      "picture-as-link": "изображение товара {about} отправлено ссылкой",
      buttons: "мессенджер не поддерживает кнопку «{about}»",
      part: "часть сообщения не удалось отправить: {about}",
    },
  },
);

export function lossText({ code, about }: Loss, language: Language): string {
  return WORDS[language][code]({ about: about ?? "" }).replace(/ {2,}/g, " ");
}

/** The note for the agent; undefined if nothing was lost. */
export function lossNote(losses: Loss[], language: Language): string | undefined {
  if (losses.length === 0) return undefined;
  const lines = [...new Set(losses.map((loss) => `– ${lossText(loss, language)}`))];
  return [WORDS[language].head, ...lines].join("\n");
}

const NOTICES = inLanguages(
  {
    missing: "[{what}: the file could not be passed on]",
    late: "[{what}: belongs to an earlier message: {words}]",
    arrived: "This message was marked as undelivered, but it reached the customer: {words}",
  },
  {
    es: {
      missing: "[{what}: no se pudo transferir el archivo]",
      late: "[{what}: pertenece a un mensaje anterior: {words}]",
      arrived: "Este mensaje figuraba como no entregado, pero llegó al cliente: {words}",
    },
    ru: {
      missing: "[{what}: файл не удалось передать]",
      late: "[{what}: относится к более раннему сообщению: {words}]",
      arrived: "Это сообщение было отмечено как недоставленное, но клиент его получил: {words}",
    },
  },
);

/** The text that replaces a customer's file that could not be fetched. */
export function missingFileText({ name, size }: Pick<FilePart, "name" | "size">, language: Language): string {
  const what = [name ?? "", size === undefined ? "" : `${(size / 1_048_576).toFixed(1)} MB`].filter(Boolean);
  return NOTICES[language].missing({ what: what.join(", ") || "…" });
}

/** The text of a file that comes after its message. */
export function lateFileText({ name }: Pick<FilePart, "name">, words: string, language: Language): string {
  return NOTICES[language].late({ what: name ?? "…", words: words || "…" });
}

/** The note for a message that was reported to the gateway as failed, but that a person has seen in the chat. */
export function arrivedText(content: Content, language: Language): string {
  const words = ("files" in content ? content.note : content.text) || "…";
  return NOTICES[language].arrived({ words: `“${excerptOf(words)}”` });
}
