import type { InLanguages } from "gangway-messenger/language";
import type { ChannelSession, LoginFacts } from "gangway-messenger/port";
import { missingRights } from "./connection.ts";
import { type Login, ownCommunity } from "./login.ts";
import { isPolling } from "./wire.ts";

const NAMES = {
  community: { en: "Community", es: "Comunidad", ru: "Сообщество" },
  events: { en: "How messages arrive", es: "Cómo llegan los mensajes", ru: "Как приходят сообщения" },
  rights: { en: "Rights that the key lacks", es: "Permisos que le faltan a la clave", ru: "Ключу не хватает прав" },
} satisfies Record<string, InLanguages<string>>;
const BY_CALLBACK = { en: "VK sends them", es: "VK los envía", ru: "ВКонтакте присылает их" };
const BY_POLLING = { en: "this server fetches them", es: "este servidor los recoge", ru: "этот сервер забирает их" };

/** What VK says about the community and the key, for the account page. */
export const standing = (login: Login): Required<Pick<ChannelSession, "standing">> => ({
  async standing(signal) {
    const { name } = await ownCommunity(login.api, signal);
    const missing = await missingRights(login, signal);
    const facts: LoginFacts["facts"] = [
      { name: NAMES.community, value: name },
      { name: NAMES.events, value: isPolling(login.context) ? BY_POLLING : BY_CALLBACK },
    ];
    if (missing.length > 0) facts.push({ name: NAMES.rights, value: missing.join(", "), isBad: true });
    return { facts };
  },
});
