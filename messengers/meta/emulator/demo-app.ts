import type { Core } from "./core.ts";

/** The app of every emulator of Meta's: one vendor, one secret. */
export const DEMO_APP = {
  id: "135790000000001",
  name: "Quay app",
  secret: "5f1c9b7e2d4a4f6c8b0e3a7d9c1f5e20",
};
/** What a vendor types in Meta's console beside the webhook's address. */
export const DEMO_VERIFY_TOKEN = "quay-verify-0001";

/** The product's settings for this app. */
export const demoAppEnv = (): Record<string, string> => ({
  META_APP_ID: DEMO_APP.id,
  META_APP_SECRET: DEMO_APP.secret,
  META_VERIFY_TOKEN: DEMO_VERIFY_TOKEN,
});

/** An operator's addresses in the app's console. Throws GraphRefusal unless the webhook's is confirmed. */
export async function registerApp(core: Core, id: string, url: string): Promise<void> {
  const app = core.apps.find(id);
  const webhook = { url, verifyToken: DEMO_VERIFY_TOKEN };
  await core.confirm(webhook);
  if (app) Object.assign(app, { webhook, deauthorizeUrl: `${url}/deauthorize`, deletionUrl: `${url}/delete-data` });
}
