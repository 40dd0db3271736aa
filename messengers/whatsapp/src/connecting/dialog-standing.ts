import type { InLanguages } from "gangway-messenger/language";
import type { LoginFacts } from "gangway-messenger/port";
import { plainText } from "gangway-meta/verdict";
import * as z from "zod";
import type { CloudApi } from "../api.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const entity = z.object({
  can_send_message: text,
  additional_info: z.array(z.string()).nullish().catch(undefined),
  errors: z
    .array(z.object({ error_description: text, possible_solution: text }))
    .nullish()
    .catch(undefined),
});
const answer = z.object({
  health_status: z.object({ can_send_message: z.string(), entities: z.array(entity).nullish() }),
});
export type DialogHealth = z.infer<typeof answer>["health_status"];

/** Whether the number may send (docs.360dialog.com, Messaging Health Status). */
export const askHealth = async (api: CloudApi, signal: AbortSignal): Promise<DialogHealth> => {
  const request = {
    method: "GET",
    path: "health_status",
    result: answer,
    what: "a question about the number",
  } as const;
  return (await api.call(request, signal)).health_status;
};

const words = (en: string, es: string, ru: string): InLanguages<string> => ({ en, es, ru });

const MAY_SEND: Record<string, InLanguages<string>> = {
  AVAILABLE: words("Yes", "Sí", "Да"),
  LIMITED: words("With limits", "Con límites", "С ограничениями"),
  BLOCKED: words("No", "No", "Нет"),
};
const NAMES = {
  sends: words("May send messages", "Puede enviar mensajes", "Может отправлять сообщения"),
  reason: words("Reason", "Motivo", "Причина"),
  elsewhere: words("In 360dialog's hub only", "Solo en el hub de 360dialog", "Только в кабинете 360dialog"),
};
const ELSEWHERE = words(
  "Quality, limit of new customers, changes of templates, templates with a file",
  "Calidad, límite de clientes nuevos, cambios de plantillas, plantillas con un archivo",
  "Качество, лимит новых клиентов, изменение шаблонов, шаблоны с файлом",
);

/** What 360dialog passes on about the number, and what its API does not offer. */
export function dialogStanding({ can_send_message: sends, entities }: DialogHealth): LoginFacts {
  const known = MAY_SEND[sends];
  const isBad = sends !== "AVAILABLE" && ({ isBad: true } as const);
  const facts: LoginFacts["facts"] = known ? [{ name: NAMES.sends, value: known, ...isBad }] : [];
  const reasons = (entities ?? []).flatMap(({ additional_info: more, errors }) => [
    ...(more ?? []),
    ...(errors ?? []).map(({ error_description: what, possible_solution: remedy }) =>
      [what, remedy].filter(Boolean).join(" "),
    ),
  ]);
  for (const reason of new Set(reasons.map(plainText).filter(Boolean)))
    facts.push({ name: NAMES.reason, value: reason, ...isBad });
  return { facts: [...facts, { name: NAMES.elsewhere, value: ELSEWHERE }] };
}
