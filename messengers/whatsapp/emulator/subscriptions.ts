import type { Asked } from "gangway-meta/emulator/graph";
import { badParam } from "./codes.ts";
import type { Network } from "./network.ts";
import { ownAccount } from "./owned.ts";

/** POST /{account id}/subscribed_apps: the app gets the account's events, perhaps at an address of their own. */
export async function subscribeApp(network: Network, asked: Asked): Promise<object> {
  const account = ownAccount(network, asked, "post");
  const app = asked.app();
  const {
    override_callback_uri: url,
    verify_token: verifyToken,
    ...rest
  } = { ...asked.query, ...asked.body } as Record<string, unknown>;
  const strange = Object.keys(rest).find((key) => !["access_token", "fields"].includes(key));
  if (strange) throw badParam(`Unexpected key "${strange}"`);
  if (url === undefined) {
    if (!account.subscribed.has(app.id)) account.subscribed.set(app.id, {});
    return { success: true };
  }
  if (typeof verifyToken !== "string" || verifyToken === "") throw badParam("The parameter verify_token is required.");
  if (network.switches.values().overrideNeedsApp && !account.subscribed.has(app.id))
    throw badParam(
      "Before override the current callback uri, your app must be subscribed to receive messages for WhatsApp Business Account.",
    );
  const override = { url: String(url), verifyToken };
  await network.core.confirm(override);
  account.subscribed.set(app.id, { override });
  return { success: true };
}

export function listSubscribed(network: Network, asked: Asked): object {
  const { subscribed } = ownAccount(network, asked, "get");
  const data = [...subscribed].map(([id, { override }]) => ({
    whatsapp_business_api_data: {
      id,
      name: network.core.apps.find(id)?.name,
      link: `https://www.facebook.com/games/?app_id=${id}`,
    },
    ...(override && { override_callback_uri: override.url }),
  }));
  return { data };
}

export function unsubscribeApp(network: Network, asked: Asked): object {
  const { subscribed } = ownAccount(network, asked, "delete");
  subscribed.delete(asked.app().id);
  return { success: true };
}
