import type { MessengerMessageId } from "gangway-messenger/ids";
import { inLanguages, type Language } from "gangway-messenger/language";
import type { Unchanged } from "gangway-messenger/message";
import type { Plan, SentPart, Step } from "gangway-messenger/plan";
import type { Work } from "./delivery.ts";
import { ended } from "./explanations.ts";

export const planDeletion = (parts: SentPart[]): Plan => ({
  steps: parts.map((part) => ({ do: "delete", part })),
  losses: [],
});

/** The result of an edit so far: new or changed parts, and parts deleted for good. */
export function changesOf({ plan: { steps }, progress }: Work): { parts: SentPart[]; removed: MessengerMessageId[] } {
  const replaced = new Set(
    steps.flatMap((step) => (step.do === "send" ? (step.instead?.messengerMessageId ?? []) : [])),
  );
  const removed = appliedSteps({ plan: { steps, losses: [] }, progress }).flatMap((step) =>
    step.do === "delete" && !replaced.has(step.part.messengerMessageId) ? [step.part.messengerMessageId] : [],
  );
  return { parts: progress.parts, removed };
}

const isRefused = ({ refused = [] }: Work["progress"], n: number) => refused.some(({ step }) => step === n);

export const appliedSteps = ({ plan, progress }: Work): Step[] =>
  plan.steps.filter((_, n) => n < progress.done && !isRefused(progress, n));
/** Steps refused or not reached. */
export const unappliedSteps = ({ plan, progress }: Work): Step[] =>
  plan.steps.filter((_, n) => n >= progress.done || isRefused(progress, n));

const WORDS = inLanguages(
  {
    edited: {
      before: "Your edit has not reached the customer. They still see {old}.",
      partly: "Only part of your edit has reached the customer. They may still see this of the earlier text: {old}.",
      nothing: "Your edit has not reached the customer. They no longer see {old} or the new text.",
      unknown: "It is not known whether your edit has reached the customer. They may still see {old}.",
      gone: "Your edit has not reached the customer: {old} is no longer in their chat.",
    },
    deleted: {
      before: "The message was not deleted in the customer's chat. They still see {old}.",
      partly: "Only part of the message was deleted in the customer's chat. They still see {old}.",
      nothing: "The customer no longer sees {old}.",
      unknown: "It is not known whether the message was deleted. The customer may still see {old}.",
    },
    /** Used if the old text is not known. */
    earlier: "the earlier message",
    quoted: "“{words}”",
    reason: "Reason: {why}",
    why: {
      "too-old": "the messenger allows this for {hours, plural, one {# hour} other {# hours}} only",
      fixed: "the messenger does not allow edits to this message, because it was sent with buttons",
      gone: "the message is no longer there",
      blocked: "the customer has blocked this channel",
      forbidden: "this channel is not allowed to do that in the chat",
      late: "it could not be done in time",
    },
  },
  {
    es: {
      edited: {
        before: "Su edición no ha llegado al cliente. Sigue viendo {old}.",
        partly: "Solo una parte de su edición ha llegado al cliente. Quizá aún vea esto del texto anterior: {old}.",
        nothing: "Su edición no ha llegado al cliente. Ya no ve {old} ni el texto nuevo.",
        unknown: "No se sabe si su edición ha llegado al cliente. Quizá siga viendo {old}.",
        gone: "Su edición no ha llegado al cliente: {old} ya no está en su chat.",
      },
      deleted: {
        before: "El mensaje no se eliminó en el chat del cliente. Sigue viendo {old}.",
        partly: "Solo una parte del mensaje se eliminó en el chat del cliente. Sigue viendo {old}.",
        nothing: "El cliente ya no ve {old}.",
        unknown: "No se sabe si el mensaje se eliminó. Quizá el cliente siga viendo {old}.",
      },
      earlier: "el mensaje anterior",
      quoted: "«{words}»",
      reason: "Motivo: {why}",
      why: {
        "too-old":
          "el servicio de mensajería solo lo permite durante {hours, plural, one {# hora} many {# de horas} other {# horas}}",
        fixed: "el servicio de mensajería no permite editar este mensaje, porque se envió con botones",
        gone: "el mensaje ya no existe",
        blocked: "el cliente ha bloqueado este canal",
        forbidden: "este canal no tiene permiso para hacerlo en el chat",
        late: "no se pudo hacer a tiempo",
      },
    },
    ru: {
      edited: {
        before: "Ваша правка не дошла до клиента. Он по-прежнему видит: {old}.",
        partly: "До клиента дошла только часть правки. Из прежнего текста он, возможно, всё ещё видит: {old}.",
        nothing: "Ваша правка не дошла до клиента. Он больше не видит ни прежнего сообщения ({old}), ни нового текста.",
        unknown: "Неизвестно, дошла ли ваша правка до клиента. Возможно, он всё ещё видит: {old}.",
        gone: "Ваша правка не дошла до клиента: исходного сообщения ({old}) в его чате больше нет.",
      },
      deleted: {
        before: "Сообщение не удалено из чата клиента. Он по-прежнему видит: {old}.",
        partly: "Из чата клиента удалена только часть сообщения. Он по-прежнему видит: {old}.",
        nothing: "Клиент больше не видит: {old}.",
        unknown: "Неизвестно, удалено ли сообщение. Возможно, клиент всё ещё видит: {old}.",
      },
      earlier: "прежнее сообщение",
      quoted: "«{words}»",
      reason: "Причина: {why}",
      why: {
        "too-old":
          "мессенджер позволяет это только в течение {hours, plural, one {# часа} few {# часов} many {# часов} other {# часа}}",
        fixed: "мессенджер не позволяет изменить это сообщение, потому что оно отправлено с кнопками",
        gone: "сообщения больше нет",
        blocked: "клиент заблокировал этот канал",
        forbidden: "у этого канала нет на это прав в чате",
        late: "это не удалось сделать вовремя",
      },
    },
  },
);

/** The note for the agent about a change that did not reach the customer. */
export function unchangedText({ act, seen, words, hindrance, said }: Unchanged, language: Language): string {
  const { edited, deleted, earlier, quoted, reason, why } = WORDS[language];
  const old = words ? quoted({ words: words.replace(/\s+/g, " ") }) : earlier;
  const gone = hindrance?.code === "gone" && seen === "before";
  if (act === "edited" && gone) return edited.gone({ old });
  const head = act === "edited" ? edited[seen]({ old }) : deleted[seen]({ old });
  const because = [
    hindrance &&
      (hindrance.code === "too-old" ? why["too-old"]({ hours: Number(hindrance.about) }) : why[hindrance.code]),
    hindrance?.code === "late" || !hindrance ? said : "",
  ];
  const shown = because.filter(Boolean).join(": ");
  return shown ? `${head}\n${ended(reason({ why: shown }))}` : head;
}

const REACTION_WORDS = inLanguages(
  { reacted: "The customer reacted with {emoji}" },
  {
    es: { reacted: "El cliente reaccionó con {emoji}" },
    ru: { reacted: "Реакция клиента: {emoji}" },
  },
);

/** Strips the presentation selector and skin tone, which some senders add and others omit. */
const bare = (emoji: string) => emoji.replace(/[\u{FE0F}\u{1F3FB}-\u{1F3FF}]/gu, "");

/** The reaction as the dictionary writes it; undefined if the dictionary has no equivalent. */
export const listedReaction = (emoji: string, dictionary: readonly string[]): string | undefined =>
  dictionary.includes(emoji) ? emoji : dictionary.find((each) => bare(each) === bare(emoji));

/** Text for agents about a reaction that the channel has not announced. */
export const reactionText = (emoji: string, language: keyof typeof REACTION_WORDS): string =>
  REACTION_WORDS[language].reacted({ emoji });
