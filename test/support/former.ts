import { HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN } from "gangway-telegram/emulator/world";
import { SANDBOX_KEY } from "../../sandbox/src/crm/rights.ts";

// The official module for Telegram, written in Go, as the CRM, the gateway and Telegram saw it.

export const OLD_HOST = "old.example";
export const CODE = "mg-telegram";
export const TOKENS = [HARBOUR_BOT_TOKEN, LIGHTHOUSE_BOT_TOKEN];

type Ask = (url: string, init?: RequestInit) => Promise<Response> | Response;

interface Bot {
  token: string;
  name: string;
}

/** Its settings of a channel. */
const SETTINGS = {
  status: { delivered: "send", read: "none" },
  text: { creating: "both", editing: "both", quoting: "both", deleting: "receive", max_chars_count: 4096 },
  product: { creating: "receive", editing: "receive" },
  order: { creating: "receive", editing: "receive" },
  file: { creating: "both", editing: "both", quoting: "both", deleting: "receive", max_items_count: 1 },
  image: { creating: "both", editing: "both", quoting: "both", deleting: "receive", max_items_count: 10 },
};

async function jsonOf<T>(answer: Response): Promise<T> {
  const body = await answer.json();
  if (!answer.ok) throw new Error(JSON.stringify(body));
  return body as T;
}

export interface OldAccount {
  clientId: string;
  crm: string;
  key?: string;
  /** Where it is reached; default: nowhere. */
  base?: string;
  bots: Bot[];
  /** Base of the Bot API. */
  telegram: string;
  code?: string;
}

/** Registers the module at the CRM, its channels at the gateway, and its webhooks at Telegram. */
export async function setUpFormer(ask: Ask, { clientId, crm, key = SANDBOX_KEY, bots, telegram, ...more }: OldAccount) {
  const { base = `https://${OLD_HOST}`, code = CODE } = more;
  const module = {
    ...{ code, integrationCode: code, active: true, name: "MG Telegram", clientId },
    ...{ logo: `${base}/static/logo.svg`, baseUrl: base, accountUrl: `${base}/settings/${clientId}` },
    actions: { activity: "/actions/activity" },
    integrations: { mgTransport: { webhookUrl: `${base}/webhook/` } },
  };
  const edited = await ask(`${crm}/api/v5/integration-modules/${code}/edit`, {
    method: "POST",
    headers: { "x-api-key": key },
    body: new URLSearchParams({ integrationModule: JSON.stringify(module) }),
  });
  const { info } = await jsonOf<{ info: { mgTransport: { endpointUrl: string; token: string } } }>(edited);
  const gateway = info.mgTransport.endpointUrl.replace(/\/api\/transport\/v1$|\/$/g, "");
  const { token: mgToken } = info.mgTransport;
  const channels: string[] = [];
  for (const { token, name } of bots) {
    const made = await ask(`${gateway}/api/transport/v1/channels`, {
      method: "POST",
      headers: { "x-transport-token": mgToken, "content-type": "application/json" },
      body: JSON.stringify({ type: "telegram", name, settings: SETTINGS }),
    });
    channels.push(String((await jsonOf<{ id: number }>(made)).id));
    await ask(`${telegram}/bot${token}/setWebhook?url=${encodeURIComponent(`${base}/telegram/${token}`)}`);
  }
  return { gateway, mgToken, channels, module };
}
