import { type AppWebhook, appWebhook } from "../meta/app-webhook.ts";
import { graphOptions } from "./api.ts";
import type { Context } from "./server.ts";

/** Fields of pages that the webhook gets. */
export const FIELDS = [
  "messages",
  "messaging_postbacks",
  "message_reads",
  "message_reactions",
  "message_echoes",
  "message_edits",
  "messaging_referrals",
  "messaging_optins",
  "messaging_policy_enforcement",
  "standby",
] as const;

/** Of the shop's own app. */
export function pageWebhook(context: Context, appId: string): AppWebhook {
  const { appSecret: secret, verifyToken } = context.settings;
  const app = { id: appId, secret, object: "page", fields: FIELDS, doorUrl: context.doorUrl, verifyToken };
  return appWebhook(graphOptions(context), app);
}
