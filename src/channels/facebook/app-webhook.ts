import * as z from "zod";
import { graphClient } from "../meta/graph.ts";
import { graphOptions } from "./api.ts";
import type { Context } from "./server.ts";

const subscriptions = z.object({
  data: z.array(z.object({ object: z.string(), callback_url: z.string().nullish() })),
});

/** Fields of pages that the webhook gets. */
export const FIELDS = [
  "messages",
  "messaging_postbacks",
  "message_reads",
  "message_reactions",
  "message_echoes",
  "message_edits",
  "messaging_referrals",
  "messaging_policy_enforcement",
  "standby",
] as const;

/** The one address to which the shop's own app sends everything. */
export interface AppWebhook {
  /** Undefined: there is none. */
  address(signal: AbortSignal): Promise<string | undefined>;
  set(signal: AbortSignal): Promise<void>;
  remove(signal: AbortSignal): Promise<void>;
}

export function appWebhook(context: Context, appId: string): AppWebhook {
  const { settings, doorUrl } = context;
  const headers = { authorization: `Bearer ${appId}|${settings.appSecret}` };
  const graph = graphClient({ ...graphOptions(context), headers });
  const path = `${appId}/subscriptions`;
  const what = "the app's webhook";
  return {
    async address(signal) {
      const { data } = await graph.call({ method: "GET", path, result: subscriptions, what }, signal);
      return data.find(({ object }) => object === "page")?.callback_url || undefined;
    },
    async set(signal) {
      const fields = FIELDS.join(",");
      const body = { object: "page", callback_url: doorUrl, verify_token: settings.verifyToken, fields };
      await graph.call({ method: "POST", path, body, result: z.unknown(), what, repeatable: true }, signal);
    },
    async remove(signal) {
      await graph.call({ method: "DELETE", path, query: { object: "page" }, result: z.unknown(), what }, signal);
    },
  };
}
