import type { Language } from "./language.ts";
import type { Hindrance, Unchanged } from "./message.ts";

interface Words {
  edited: Record<Unchanged["seen"] | "gone", (old: string) => string>;
  deleted: Record<Unchanged["seen"], (old: string) => string>;
  /** Used if the old text is not known. */
  earlier: string;
  quoted(words: string): string;
  reason(why: string): string;
  why: Record<Hindrance["code"], (about: string) => string>;
}

const WORDS: Record<Language, Words> = {
  en: {
    edited: {
      before: (old) => `Your edit has not reached the customer. They still see ${old}.`,
      partly: (old) =>
        `Only a part of your edit has reached the customer. Of the earlier text they may still see ${old}.`,
      nothing: (old) => `Your edit has not reached the customer. They no longer see ${old}, nor the new text.`,
      unknown: (old) => `It is not known whether your edit has reached the customer. Perhaps they still see ${old}.`,
      gone: (old) => `Your edit has not reached the customer: ${old} is no longer in their chat.`,
    },
    deleted: {
      before: (old) => `The message was not deleted in the customer's chat. They still see ${old}.`,
      partly: (old) => `Only a part of the message was deleted in the customer's chat. They still see ${old}.`,
      nothing: (old) => `The customer no longer sees ${old}.`,
      unknown: (old) => `It is not known whether the message was deleted. Perhaps the customer still sees ${old}.`,
    },
    earlier: "the earlier message",
    quoted: (words) => `“${words}”`,
    reason: (why) => `Reason: ${why}`,
    why: {
      "too-old": (hours) => `the messenger allows this for ${hours} hours only`,
      fixed: () => "the messenger does not let this message be edited, since it came with a keyboard",
      gone: () => "the message is no longer there",
      blocked: () => "the customer has blocked this channel",
      forbidden: () => "this channel has no right to do that in the chat",
      late: () => "it could not be done in time",
    },
  },
  es: {
    edited: {
      before: (old) => `Su edición no ha llegado al cliente. Sigue viendo ${old}.`,
      partly: (old) =>
        `Solo una parte de su edición ha llegado al cliente. Del texto anterior quizá siga viendo ${old}.`,
      nothing: (old) => `Su edición no ha llegado al cliente. Ya no ve ${old}, ni el texto nuevo.`,
      unknown: (old) => `No se sabe si su edición ha llegado al cliente. Quizá siga viendo ${old}.`,
      gone: (old) => `Su edición no ha llegado al cliente: ${old} ya no está en su chat.`,
    },
    deleted: {
      before: (old) => `El mensaje no se eliminó en el chat del cliente. Sigue viendo ${old}.`,
      partly: (old) => `Solo una parte del mensaje se eliminó en el chat del cliente. Sigue viendo ${old}.`,
      nothing: (old) => `El cliente ya no ve ${old}.`,
      unknown: (old) => `No se sabe si el mensaje se eliminó. Quizá el cliente siga viendo ${old}.`,
    },
    earlier: "el mensaje anterior",
    quoted: (words) => `«${words}»`,
    reason: (why) => `Motivo: ${why}`,
    why: {
      "too-old": (hours) => `el mensajero lo permite solo durante ${hours} horas`,
      fixed: () => "el mensajero no permite editar este mensaje, porque llegó con un teclado",
      gone: () => "el mensaje ya no existe",
      blocked: () => "el cliente ha bloqueado este canal",
      forbidden: () => "este canal no tiene permiso para hacerlo en el chat",
      late: () => "no se pudo hacer a tiempo",
    },
  },
  ru: {
    edited: {
      before: (old) => `Ваша правка не дошла до клиента. Он по-прежнему видит: ${old}.`,
      partly: (old) => `До клиента дошла только часть правки. Из прежнего он, возможно, всё ещё видит: ${old}.`,
      nothing: (old) =>
        `Ваша правка не дошла до клиента. Он больше не видит ни прежнего сообщения (${old}), ни нового текста.`,
      unknown: (old) => `Неизвестно, дошла ли ваша правка до клиента. Возможно, он всё ещё видит: ${old}.`,
      gone: (old) => `Ваша правка не дошла до клиента: в его чате больше нет сообщения (${old}).`,
    },
    deleted: {
      before: (old) => `Сообщение не удалено из чата клиента. Он по-прежнему видит: ${old}.`,
      partly: (old) => `Из чата клиента удалена только часть сообщения. Он по-прежнему видит: ${old}.`,
      nothing: (old) => `Клиент больше не видит: ${old}.`,
      unknown: (old) => `Неизвестно, удалено ли сообщение. Возможно, клиент всё ещё видит: ${old}.`,
    },
    earlier: "прежнее сообщение",
    quoted: (words) => `«${words}»`,
    reason: (why) => `Причина: ${why}`,
    why: {
      "too-old": (hours) => `мессенджер позволяет это только в течение ${hours} часов`,
      fixed: () => "мессенджер не позволяет изменить это сообщение, потому что оно пришло с клавиатурой",
      gone: () => "сообщения больше нет",
      blocked: () => "клиент заблокировал этот канал",
      forbidden: () => "у этого канала нет права на это в чате",
      late: () => "это не удалось сделать вовремя",
    },
  },
};

/** The note for the agent about a change that did not reach the customer. */
export function unchangedText({ act, seen, words, hindrance, said }: Unchanged, language: Language): string {
  const { edited, deleted, earlier, quoted, reason, why } = WORDS[language];
  const old = words ? quoted(words.replace(/\s+/g, " ")) : earlier;
  const gone = hindrance?.code === "gone" && seen === "before";
  if (act === "edited" && gone) return edited.gone(old);
  const head = act === "edited" ? edited[seen](old) : deleted[seen](old);
  const because = [
    hindrance && why[hindrance.code](hindrance.about ?? ""),
    hindrance?.code === "late" || !hindrance ? said : "",
  ];
  const shown = because.filter(Boolean).join(": ");
  return shown ? `${head}\n${reason(shown)}` : head;
}
