import type { InLanguages } from "gangway-messenger/language";
import type { ChannelSession, LoginFacts } from "gangway-messenger/port";
import { dayFact, numberFact } from "gangway-meta/fact";
import type { Graph } from "gangway-meta/graph";
import * as z from "zod";
import type { Context } from "./server.ts";
import { expiryOf } from "./token.ts";

const account = z.object({
  username: z.string(),
  name: z.string().nullish(),
  account_type: z.string().nullish(),
  followers_count: z.number().nullish(),
});

const NAMES = {
  account: { en: "Account", es: "Cuenta", ru: "Аккаунт" },
  type: { en: "Account type", es: "Tipo de cuenta", ru: "Тип аккаунта" },
  followers: { en: "Followers", es: "Seguidores", ru: "Подписчики" },
  expiry: { en: "Token renewed by", es: "El token se renueva antes del", ru: "Токен обновится до" },
} satisfies Record<string, InLanguages<string>>;
const CREATOR = { en: "creator", es: "creador", ru: "автор" };
const TYPES: Record<string, InLanguages<string>> = {
  BUSINESS: { en: "business", es: "empresa", ru: "бизнес" },
  MEDIA_CREATOR: CREATOR,
  CREATOR,
};

/** What Instagram says about the account, for the account page. */
export function standing({ settings }: Context, graph: Graph): Required<Pick<ChannelSession, "standing">> {
  return {
    async standing(signal) {
      const query = { fields: "username,name,account_type,followers_count" };
      const request = { method: "GET", path: "me", query, result: account, what: "the account" } as const;
      const found = await graph.call(request, signal);
      const facts: LoginFacts["facts"] = [
        { name: NAMES.account, value: [found.name, `@${found.username}`].filter(Boolean).join(" · ") },
      ];
      if (found.account_type)
        facts.push({ name: NAMES.type, value: TYPES[found.account_type] ?? found.account_type.toLowerCase() });
      if (typeof found.followers_count === "number")
        facts.push({ name: NAMES.followers, value: numberFact(found.followers_count) });
      const until = expiryOf(settings);
      if (until !== undefined) facts.push({ name: NAMES.expiry, value: dayFact(until) });
      return { facts };
    },
  };
}
