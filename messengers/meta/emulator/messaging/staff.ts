import { addMessage } from "./chats.ts";
import { announce, arrive, digits, echo, post } from "./events.ts";
import type { Platform } from "./network.ts";
import type { Account, Chat, Message } from "./world.ts";

/** The staff writes in Meta Business Suite: the app sees an echo of another app. */
export async function staffSays(platform: Platform, chat: Chat, text: string): Promise<Message> {
  const message = addMessage(platform, chat, { from: "account", text });
  await echo(platform, chat, message);
  await arrive(platform, chat);
  return message;
}

/** Meta warns or blocks an account. */
export async function enforce(platform: Platform, account: Account, action: string, reason: string): Promise<void> {
  const field = platform.network.events.policy;
  if (field === undefined) throw new Error("This network announces no such thing");
  const event = {
    recipient: { id: account.id },
    timestamp: digits(platform, platform.core.clock.now()),
    policy_enforcement: { action, reason },
  };
  await post(platform, account, (_, fields) => (fields.has(field) ? { messaging: [event] } : undefined));
}

/** The button "Test" of the console: an entry without an account. */
export async function testEvent({ core }: Platform, appId: string): Promise<void> {
  const app = core.apps.find(appId);
  if (!app?.webhook) throw new Error("The app has no webhook");
  const { url } = app.webhook;
  const message = { mid: "random_mid", text: "random_text" };
  const timestamp = String(Math.floor(core.clock.now() / 1000));
  const event = { sender: { id: "12334" }, recipient: { id: "23245" }, timestamp, message };
  const to = { url, secret: () => app.secret, isLive: () => app.webhook?.url === url };
  await core.courier.post(to, { id: "0", time: core.clock.now(), messaging: [event] });
}

/** Roles of apps in a thread's handover changed. */
export async function assignRoles(platform: Platform, chat: Chat, roles: Record<string, string[]>): Promise<void> {
  const event = {
    recipient: { id: chat.account.id },
    timestamp: digits(platform, platform.core.clock.now()),
    app_roles: roles,
  };
  await announce(platform, chat, platform.network.events.handover, event);
}
