import { isHosted, type SiteVisit } from "gangway-messenger/hosted";
import type { CustomerId } from "gangway-messenger/ids";
import { dateFormat } from "gangway-messenger/language";
import { cutText } from "gangway-messenger/text";
import * as z from "zod";
import type { Account } from "../../domain/account.ts";
import type { Log } from "../../log.ts";
import type { Sessions } from "../../relay/sessions/sessions.ts";
import { ifOpens } from "../../store/secrets.ts";
import type { Store } from "../../store/store.ts";

/** Answers the CRM's questions about a customer's visits to the shop's site (`mgTransport.actions`). */
export interface SiteVisits {
  /** Shaped like ChatVisitsResponse of retailcrm/api-client-go. */
  visits(form: URLSearchParams): Promise<object>;
  /** Shaped like ChatCustomerOnline of retailcrm/api-client-go. */
  online(form: URLSearchParams): Promise<object>;
}

export interface SiteVisitsParts {
  store: Pick<Store, "accounts" | "channels">;
  sessions: Pick<Sessions, "adapter" | "peek">;
  log: Log;
}

const NONE = { success: false };

/**
 * No published source describes the request. We assume the CRM's usual shape: a form field named after the action holds
 * JSON, which names the customer as the gateway's webhooks do.
 */
const asked = z.object({
  external_user_id: z.string().min(1).max(255),
  channel_id: z.union([z.number(), z.string()]).nullish(),
});
type Asked = z.infer<typeof asked>;

function readAsked(form: URLSearchParams, action: string): Asked | undefined {
  try {
    return asked.parse(JSON.parse(form.get(action) ?? ""));
  } catch {
    return undefined;
  }
}

/** Field names are logged to reveal what a CRM really sends. */
const MAX_NAMES = 20;
const namesIn = (form: URLSearchParams) => [...form.keys()].slice(0, MAX_NAMES).map((name) => cutText(name, 40));

export function createSiteVisits(parts: SiteVisitsParts): SiteVisits {
  const answerTo =
    (action: "visits" | "online", shown: (visit: SiteVisit, timeZone?: string) => object) =>
    async (form: URLSearchParams): Promise<object> => {
      const account = await parts.store.accounts.byClientId(form.get("clientId") ?? "");
      if (!account) return NONE;
      const wanted = readAsked(form, action);
      if (!wanted) {
        parts.log.warn("account.site-visits-not-read", {
          account: account.id,
          action,
          fields: namesIn(form).join(" "),
        });
        return NONE;
      }
      const visit = await findVisit(parts, account, wanted);
      return visit ? shown(visit, account.timeZone) : NONE;
    };
  return {
    visits: answerTo("visits", visitsAnswer),
    online: answerTo("online", ({ seenAt }, zone) => ({ lastOnline: crmTime(seenAt, zone) })),
  };
}

/** Searches only the account's own channels. */
async function findVisit({ store, sessions }: SiteVisitsParts, { id }: Account, wanted: Asked) {
  for (const channel of await store.channels.list(id)) {
    const adapter = sessions.adapter(channel.kind);
    if (!adapter || !isHosted(adapter) || !adapter.siteVisits) continue;
    if (wanted.channel_id != null && String(wanted.channel_id) !== channel.gatewayChannelId) continue;
    // A channel whose settings do not open must not hide another channel's visitor.
    const session = ifOpens(() => sessions.peek(channel) as ReturnType<typeof adapter.open>);
    const visit = await session?.siteVisit?.(wanted.external_user_id as CustomerId);
    if (visit) return visit;
  }
  return undefined;
}

/** Country and city stay empty, since we do not look them up, but the type requires the fields. */
const visitsAnswer = ({ beganAt, seenAt, ended, pages, source, utm, device, count }: SiteVisit, zone?: string) => ({
  ...(utm && { utm: { source: utm.source ?? "", medium: utm.medium ?? "", campaign: utm.campaign ?? "" } }),
  device: { lang: device.language, browser: device.browser, os: device.os },
  ...{ country: "", city: "" },
  lastVisit: {
    createdAt: crmTime(beganAt, zone),
    ...(ended && { endedAt: crmTime(seenAt, zone) }),
    source,
    pages: pages.map(({ at, url, title }) => ({ dateTime: crmTime(at, zone), ...(title && { title }), url })),
    duration: Math.round((seenAt - beganAt) / 1000),
  },
  countVisits: count,
});

/** `Y-m-d H:i:s`, in the account's time zone. */
function crmTime(at: number, timeZone = "UTC"): string {
  // Swedish locale formats dates this way.
  return dateFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }).format(at);
}
