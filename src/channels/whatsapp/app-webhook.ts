import * as z from "zod";
import { DeliveryError } from "../../domain/delivery.ts";
import { graphClient } from "../meta/graph.ts";
import { type Context, graphUrlOf } from "./server.ts";
import { TABLE } from "./verdict.ts";

const OBJECT = "whatsapp_business_account";
/** Fields that concern a chat or a template. */
const FIELDS = [
  "messages",
  "smb_message_echoes",
  "user_preferences",
  "user_id_update",
  "message_template_status_update",
  "message_template_quality_update",
  "message_template_components_update",
  "template_category_update",
];

const subscriptions = z.object({ data: z.array(z.object({ object: z.string(), callback_url: z.string().nullish() })) });

/**
 * Gives the shop's app a webhook if it has none: only there Meta tells of templates (docs/whatsapp/webhooks/override). Without
 * it everything else works, so a refusal is let pass.
 */
export async function offerAppWebhook(context: Context, appId: string | undefined, signal: AbortSignal): Promise<void> {
  const { call, clock, settings, server, doorUrl } = context;
  // The operator's own app has the operator's webhook.
  if (!appId || !settings.appSecret) return;
  const token = `${appId}|${settings.appSecret}`;
  const graph = graphClient({
    call,
    clock,
    network: "WhatsApp",
    table: TABLE,
    baseUrl: `${graphUrlOf(server)}/${server.META_API_VERSION}`,
    headers: { authorization: `Bearer ${token}` },
    secrets: [token, settings.appSecret, settings.verifyToken],
  });
  const path = `${appId}/subscriptions`;
  const what = "the app's webhook";
  try {
    const { data } = await graph.call({ method: "GET", path, result: subscriptions, what }, signal);
    if (data.some(({ object, callback_url: url }) => object === OBJECT && url)) return;
    const body = {
      object: OBJECT,
      callback_url: doorUrl,
      verify_token: settings.verifyToken,
      fields: FIELDS.join(","),
    };
    await graph.call({ method: "POST", path, body, result: z.unknown(), what, repeatable: true }, signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
  }
}
