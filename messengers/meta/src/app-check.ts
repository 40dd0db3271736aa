import type { AppCheck, Checking } from "gangway-messenger/apps";
import { DeliveryError } from "gangway-messenger/errors";
import { hostOf } from "./addresses.ts";
import { appWebhook } from "./app-webhook.ts";
import type { MetaServer } from "./server.ts";
import type { Row } from "./verdict.ts";

interface Asked {
  network: string;
  table: readonly Row[];
  graphUrl: string;
  /** The object that the webhook reports on, such as `page`. */
  object: string;
}

/**
 * Asks Meta, with the operator's app id and secret, where the app's webhooks go. Throws DeliveryError unless Meta
 * answers.
 */
export async function checkApp(
  { server, doorUrl, call, clock }: Checking<MetaServer>,
  { network, table, graphUrl, object }: Asked,
  signal: AbortSignal,
): Promise<AppCheck> {
  const { META_APP_ID: id = "", META_APP_SECRET: secret = "", META_VERIFY_TOKEN: verifyToken = "" } = server;
  const options = { call, clock, network, table, headers: {}, secrets: [secret, verifyToken] };
  const baseUrl = `${graphUrl}/${server.META_API_VERSION}`;
  const webhook = appWebhook({ ...options, baseUrl }, { id, secret, object, fields: [], doorUrl, verifyToken });
  try {
    const address = await webhook.address(signal);
    if (address === doorUrl) return { state: "ok", seen: `Meta sends to ${doorUrl}` };
    const todo = `in the app's settings at Meta, under Webhooks, set ${doorUrl} with META_VERIFY_TOKEN`;
    if (!address) return { state: "warn", seen: "Meta knows no webhook of the app", todo };
    return { state: "warn", seen: `Meta sends to another address (${hostOf(address)})`, todo };
  } catch (error) {
    if (!(error instanceof DeliveryError) || !["reconnect", "reject"].includes(error.verdict.type)) throw error;
    const todo = "copy META_APP_ID and META_APP_SECRET again from App settings, Basic, and restart the server";
    return { state: "fail", seen: `Meta does not accept the app's id and secret: ${error.message}`, todo };
  }
}
