import * as z from "zod";
import { type CloudApi, MANAGEMENT } from "../api.ts";
import type { Context } from "../server.ts";

const apps = z.object({
  data: z.array(
    z.object({
      override_callback_uri: z.string().nullish(),
      whatsapp_business_api_data: z.object({ id: z.string().nullish() }).nullish(),
    }),
  ),
});
const done = z.unknown();
const dialogWebhook = z.object({ url: z.string().nullish() });

/** The destination of the account's messages. */
export interface Subscription {
  isSubscribed: boolean;
  /** Empty: to the app's own address. */
  url: string;
}

/** `appId`: of our token; without it, any app with our address counts as ours. */
export async function askSubscription(
  { settings, doorUrl }: Pick<Context, "settings" | "doorUrl">,
  api: CloudApi,
  appId: string | undefined,
  signal: AbortSignal,
): Promise<Subscription> {
  if (settings.via === "360dialog") {
    const request = { method: "GET", path: "v1/configs/webhook", result: dialogWebhook, what: "the webhook" } as const;
    const { url } = await api.call(request, signal);
    return { isSubscribed: !!url, url: url ?? "" };
  }
  const path = `${settings.wabaId}/subscribed_apps`;
  const { data } = await api.call(
    { method: "GET", path, result: apps, what: "the subscription", needs: MANAGEMENT },
    signal,
  );
  const own = appId ? data.filter((each) => each.whatsapp_business_api_data?.id === appId) : data;
  const urls = (own.length > 0 ? own : data).map((each) => each.override_callback_uri ?? "");
  return { isSubscribed: own.length > 0, url: urls.find((url) => url === doorUrl) ?? urls.find(Boolean) ?? "" };
}

/** `isSubscribed`: the app already is; otherwise it must be before its account takes another address. */
export async function subscribe(
  { settings, doorUrl }: Context,
  api: CloudApi,
  isSubscribed: boolean,
  signal: AbortSignal,
): Promise<void> {
  const { wabaId, verifyToken } = settings;
  const post = (path: string, body: object) =>
    api.call({ method: "POST", path, body, result: done, what: "the subscription", repeatable: true }, signal);
  if (settings.via === "360dialog") {
    await post("v1/configs/webhook", { url: doorUrl, headers: { authorization: `Bearer ${verifyToken}` } });
    return;
  }
  const path = `${wabaId}/subscribed_apps`;
  if (!isSubscribed) await post(path, {});
  try {
    await post(path, { override_callback_uri: doorUrl, verify_token: verifyToken });
  } catch (error) {
    if (!isSubscribed)
      await api.call({ method: "DELETE", path, result: done, what: "the subscription" }, signal).catch(() => {});
    throw error;
  }
}

/** `keep`: the app stays subscribed, and its own address gets the messages again. */
export async function unsubscribe({ settings }: Context, api: CloudApi, keep: boolean, signal: AbortSignal) {
  const what = "the end of the subscription";
  // 360dialog has no call to end it, and refuses an empty address.
  if (settings.via === "360dialog") return;
  const path = `${settings.wabaId}/subscribed_apps`;
  await api.call({ method: "DELETE", path, result: done, what, repeatable: true }, signal);
  if (keep) await api.call({ method: "POST", path, body: {}, result: done, what, repeatable: true }, signal);
}
