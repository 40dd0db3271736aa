import { connected, HOOK, VERIFY } from "../../../meta/test/emulator/messaging/module.ts";
import { ACCOUNT, APP, createEmulator, TOKEN } from "../../emulator/emulator.ts";

const FIELDS = [
  "comments",
  "messages",
  "message_reactions",
  "message_edit",
  "messaging_postbacks",
  "messaging_referral",
  "messaging_seen",
  "messaging_handover",
  "standby",
];

/** A module whose webhook the console knows, subscribed to everything of the first account, and a customer. */
export async function account() {
  const module = connected(createEmulator, () => APP.secret);
  const { emulator, call } = module;
  await call("PATCH", `/control/apps/${APP.id}`, { body: { webhook: { url: HOOK, verifyToken: VERIFY } } });
  await call("POST", `/v23.0/me/subscribed_apps?subscribed_fields=${FIELDS.join(",")}`, { token: TOKEN });
  const { world } = emulator.platform;
  const [first] = world.accounts;
  const [person] = world.people;
  if (!first || !person) throw new Error("The emulator starts with an account and people");
  const chat = emulator.customers.chat(first, person);
  return {
    ...module,
    account: first,
    person,
    chat,
    /** POST /{account}/messages. */
    send: (message: object, more: object = {}) =>
      call("POST", `/v23.0/${ACCOUNT.id}/messages`, {
        token: TOKEN,
        body: { recipient: { id: chat.scopedId }, message, ...more },
      }),
  };
}
