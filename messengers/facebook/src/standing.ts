import type { InLanguages } from "gangway-messenger/language";
import type { ChannelSession, LoginFacts } from "gangway-messenger/port";
import { dayFact } from "gangway-meta/fact";
import type { Graph } from "gangway-meta/graph";
import { debugToken } from "gangway-meta/token";
import * as z from "zod";
import { tokenOf } from "./api.ts";
import type { Context } from "./server.ts";

const page = z.object({ name: z.string(), category: z.string().nullish() });

const NAMES = {
  page: { en: "Page", es: "Página", ru: "Страница" },
  category: { en: "Category", es: "Categoría", ru: "Категория" },
  expiry: { en: "Token expires", es: "El token caduca", ru: "Срок действия токена" },
  window: {
    en: "Answers after a customer's message",
    es: "Respuestas tras un mensaje del cliente",
    ru: "Ответ после сообщения клиента",
  },
} satisfies Record<string, InLanguages<string>>;
const NEVER = { en: "never", es: "nunca", ru: "бессрочно" };
const DAY = { en: "for 24 hours", es: "durante 24 horas", ru: "в течение 24 часов" };
const WEEK = { en: "for 7 days", es: "durante 7 días", ru: "в течение 7 дней" };

/** What Meta says about the page and the token, for the account page. */
export function standing(context: Context, graph: Graph): Required<Pick<ChannelSession, "standing">> {
  const { settings } = context;
  return {
    async standing(signal) {
      const query = { fields: "name,category" };
      const request = { method: "GET", path: settings.pageId, query, result: page, what: "the page" } as const;
      const { name, category } = await graph.call(request, signal);
      const token = await debugToken(tokenOf(context), signal);
      const facts: LoginFacts["facts"] = [{ name: NAMES.page, value: name }];
      if (category) facts.push({ name: NAMES.category, value: category });
      facts.push({ name: NAMES.window, value: settings.humanAgent ? WEEK : DAY });
      if (token) facts.push({ name: NAMES.expiry, value: token.expiresAt ? dayFact(token.expiresAt) : NEVER });
      return { facts };
    },
  };
}
