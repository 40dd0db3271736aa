import { DeliveryError } from "../../domain/delivery.ts";
import { appWebhook } from "../meta/app-webhook.ts";
import { graphOptions } from "./api.ts";
import type { Context } from "./server.ts";

export const OBJECT = "whatsapp_business_account";
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

/**
 * Gives the shop's app a webhook if it has none: only there Meta tells of templates (docs/whatsapp/webhooks/override). Without
 * it everything else works, so a refusal is let pass.
 */
export async function offerAppWebhook(context: Context, appId: string | undefined, signal: AbortSignal): Promise<void> {
  const { settings, doorUrl } = context;
  // The operator's own app has the operator's webhook.
  if (!appId || !settings.appSecret) return;
  const { appSecret: secret, verifyToken } = settings;
  const app = { id: appId, secret, object: OBJECT, fields: FIELDS, doorUrl, verifyToken };
  const webhook = appWebhook(graphOptions(context), app);
  try {
    if (!(await webhook.address(signal))) await webhook.set(signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
  }
}
