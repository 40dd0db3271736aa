import type { Features, WhatsAppStatus } from "gangway-messenger/features";
import type { InLanguages } from "gangway-messenger/language";
import type { ChannelSession, LoginFacts } from "gangway-messenger/port";
import { numberFact } from "gangway-meta/fact";
import type { CloudApi } from "../api.ts";
import type { Context } from "../server.ts";
import { refusedFields } from "./app-webhook.ts";
import { askHealth, dialogStanding } from "./dialog-standing.ts";
import { askNumberAndLimit, type PhoneNumber } from "./number.ts";
import { syncFacts } from "./phone-sync.ts";

type Quality = NonNullable<NonNullable<Features["whatsapp"]>["quality"]>;
type Words = InLanguages<string>;
const words = (en: string, es: string, ru: string): Words => ({ en, es, ru });

const NAMES = {
  name: words("Verified name", "Nombre verificado", "Подтверждённое имя"),
  number: words("Number", "Número", "Номер"),
  quality: words("Quality", "Calidad", "Качество"),
  limit: words(
    "New customers you can write to in 24 hours",
    "Clientes nuevos a los que puede escribir en 24 horas",
    "Скольким новым клиентам можно написать за 24 часа",
  ),
  status: words("Status", "Estado", "Состояние"),
  refused: words(
    "Webhook fields that Meta refuses",
    "Campos de webhook que Meta rechaza",
    "Поля вебхука, в которых Meta отказывает",
  ),
};
const QUALITY: Record<string, { level: Quality; value: Words }> = {
  GREEN: { level: "high", value: words("High", "Alta", "Высокое") },
  YELLOW: { level: "medium", value: words("Medium", "Media", "Среднее") },
  RED: { level: "low", value: words("Low", "Baja", "Низкое") },
};
const UNLIMITED = words("No limit", "Sin límite", "Без ограничений");

const STATUS: Record<WhatsAppStatus, Words> = {
  connected: words("Connected", "Conectado", "Подключён"),
  flagged: words(
    "Flagged: customers report its messages",
    "Marcado: los clientes denuncian sus mensajes",
    "Под наблюдением: клиенты жалуются на сообщения",
  ),
  offline: words("Offline", "Sin conexión", "Отключён"),
  pending: words("Not registered yet", "Aún no registrado", "Ещё не зарегистрирован"),
  restricted: words("Restricted by Meta", "Restringido por Meta", "Ограничен Meta"),
};
const OF_META: Record<string, WhatsAppStatus> = {
  CONNECTED: "connected",
  FLAGGED: "flagged",
  PENDING: "pending",
  UNVERIFIED: "pending",
  RESTRICTED: "restricted",
  RATE_LIMITED: "restricted",
  BANNED: "restricted",
};

/** `TIER_250`, `TIER_1K`; 0: without limit. */
export function tierOf(tier: string | undefined): number | undefined {
  if (tier === "TIER_UNLIMITED") return 0;
  const [, digits, thousands] = /^TIER_(\d+)(K?)$/.exec(tier ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits) * (thousands ? 1_000 : 1);
}

/** What Meta or 360dialog says of the number, for the account page; what Meta says for the gateway, too. */
export function standing({ settings, notes }: Context, api: CloudApi): Required<Pick<ChannelSession, "standing">> {
  return {
    async standing(signal) {
      if (settings.via !== "meta") return dialogStanding(await askHealth(api, signal));
      const { facts, whatsapp } = standingOf(await askNumberAndLimit(api, settings, signal));
      const refused = await refusedFields(notes);
      const fields = refused ? [{ name: NAMES.refused, value: refused, ...BAD }] : [];
      return { whatsapp, facts: [...facts, ...fields, ...(await syncFacts(notes))] };
    },
  };
}

export function standingOf(number: PhoneNumber): LoginFacts {
  const quality = QUALITY[number.quality_rating ?? ""];
  const tier = tierOf(number.messaging_limit_tier);
  const status = number.status && (OF_META[number.status] ?? "offline");
  const facts: LoginFacts["facts"] = [];
  if (number.verified_name) facts.push({ name: NAMES.name, value: number.verified_name });
  if (number.display_phone_number) facts.push({ name: NAMES.number, value: number.display_phone_number });
  if (quality) facts.push({ name: NAMES.quality, value: quality.value, ...(quality.level === "low" && BAD) });
  if (tier !== undefined) facts.push({ name: NAMES.limit, value: tier === 0 ? UNLIMITED : numberFact(tier) });
  if (status) facts.push({ name: NAMES.status, value: STATUS[status], ...(status !== "connected" && BAD) });
  const whatsapp = { tier, quality: quality?.level, status: status || undefined };
  return { facts, whatsapp };
}
const BAD = { isBad: true } as const;
