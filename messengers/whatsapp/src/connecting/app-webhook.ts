import { DeliveryError } from "gangway-messenger/errors";
import { type AppWebhook, appWebhook } from "gangway-meta/app-webhook";
import { GraphError } from "gangway-meta/verdict";
import { graphOptions } from "../api.ts";
import type { Context } from "../server.ts";

export const OBJECT = "whatsapp_business_account";
/** Fields that concern a chat or a template. */
const FIELDS = [
  "messages",
  "smb_message_echoes",
  "smb_app_state_sync",
  "history",
  "user_preferences",
  "calls",
  "message_template_status_update",
  "message_template_quality_update",
  "message_template_components_update",
  "template_category_update",
];

/** Note of the fields that Meta has refused, separated by commas. */
const REFUSED = "waba:refused";
export const refusedFields = async ({ get }: Pick<Context["notes"], "get">): Promise<string> =>
  (await get(REFUSED)) ?? "";

/**
 * Gives the shop's app a webhook if it has none: Meta reports on templates only there
 * (docs/whatsapp/webhooks/override). Everything else works without it: refused fields are noted, for the account page.
 */
export async function offerAppWebhook(context: Context, appId: string | undefined, signal: AbortSignal): Promise<void> {
  const { settings, doorUrl } = context;
  // The operator's own app has the operator's webhook.
  if (!appId || !settings.appSecret) return;
  const { appSecret: secret, verifyToken } = settings;
  const webhook = appWebhook(graphOptions(context), {
    id: appId,
    secret,
    object: OBJECT,
    fields: FIELDS,
    doorUrl,
    verifyToken,
  });
  let refused: string[] = [];
  try {
    if (!(await webhook.address(signal))) refused = await subscribeAllOf(webhook, signal);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    refused = FIELDS;
  }
  await context.notes.set([{ key: REFUSED, value: refused.join(", ") }]);
}

/** Meta refuses a whole list because of one field: subscribes field by field then. Returns the refused ones. */
async function subscribeAllOf(webhook: AppWebhook, signal: AbortSignal): Promise<string[]> {
  const isTaken = (fields: string[]) =>
    webhook.set(signal, fields).then(
      () => true,
      (error) => {
        if (error instanceof GraphError && error.refusal.code === 100) return false;
        throw error;
      },
    );
  if (await isTaken(FIELDS)) return [];
  const taken: string[] = [];
  for (const field of FIELDS) if (await isTaken([...taken, field])) taken.push(field);
  return FIELDS.filter((field) => !taken.includes(field));
}
