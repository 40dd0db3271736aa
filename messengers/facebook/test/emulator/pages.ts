import { DEMO_APP as APP } from "gangway-meta/emulator/demo-app";
import { connected, HOOK, VERIFY } from "../../../meta/test/emulator/messaging/module.ts";
import { createEmulator, PAGE, TOKEN } from "../../emulator/emulator.ts";

const FIELDS = [
  "messages",
  "messaging_postbacks",
  "message_deliveries",
  "message_reads",
  "message_reactions",
  "message_echoes",
  "message_edits",
  "messaging_referrals",
  "messaging_handovers",
  "messaging_policy_enforcement",
  "standby",
];

/** A module whose app gets everything of the first page, and a customer of it. */
export async function page() {
  const module = connected(createEmulator, () => APP.secret);
  const { emulator, call } = module;
  const version = "/v23.0";
  const asked = { object: "page", callback_url: HOOK, verify_token: VERIFY, fields: FIELDS.join(",") };
  await call("POST", `${version}/${APP.id}/subscriptions`, { token: `${APP.id}|${APP.secret}`, body: asked });
  await call("POST", `${version}/${PAGE.id}/subscribed_apps`, {
    token: TOKEN,
    body: { subscribed_fields: FIELDS.join(",") },
  });
  const { world } = emulator.platform;
  const [account] = world.accounts;
  const [person] = world.people;
  if (!account || !person) throw new Error("The emulator starts with a page and people");
  const chat = emulator.customers.chat(account, person);
  return {
    ...module,
    account,
    person,
    chat,
    /** POST /{page}/messages. */
    send: (message: object, more: object = {}) =>
      call("POST", `${version}/${PAGE.id}/messages`, {
        token: TOKEN,
        body: { recipient: { id: chat.scopedId }, messaging_type: "RESPONSE", message, ...more },
      }),
    act: (sender_action: string, more: object = {}) =>
      call("POST", `${version}/me/messages`, {
        token: TOKEN,
        body: { recipient: { id: chat.scopedId }, sender_action, ...more },
      }),
  };
}
