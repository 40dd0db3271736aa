import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { DEMO_VERIFY_TOKEN, registerApp } from "gangway-meta/emulator/demo-app";
import { loginPage } from "gangway-meta/emulator/login-page";
import { addAccount, addPerson } from "gangway-meta/emulator/messaging/chats";
import { createMessaging, type Messaging } from "gangway-meta/emulator/messaging/emulator";
import type { Platform } from "gangway-meta/emulator/messaging/network";
import { BASIC_RIGHT, MESSAGE_RIGHT, network } from "./network.ts";
import { LONG_MS, tokenOperations } from "./tokens.ts";

/** The Instagram app of the demo: its id and secret are not those of the app at Meta that it belongs to. */
export const APP = { id: "800000000000001", name: "Sandbox app", secret: "1nsta0secret0a1b2c3d4e5f60718293" };
export const ACCOUNT = { id: "17841400000000101", name: "Quay & Co.", username: "quay.knots" };
export const SECOND_ACCOUNT = { id: "17841400000000102", name: "Quay workshop", username: "quay.workshop" };
/** An account that no token of the demo's may use. */
export const FOREIGN_ACCOUNT = { id: "17841400000000901", name: "Somebody else", username: "somebody" };
export const TOKEN = "IGAASandboxAccountToken00000000000000000000000000000000000001";
export const SECOND_TOKEN = "IGAASandboxAccountToken00000000000000000000000000000000000002";
const RIGHTS = [BASIC_RIGHT, MESSAGE_RIGHT, "instagram_business_manage_comments", "human_agent"];
/** What the app knows the first account by. */
const USER = "26000000000000001";

export interface InstagramEmulator extends Emulator, Omit<Messaging, "site"> {}

export function createEmulator(options: EmulatorOptions): InstagramEmulator {
  const messaging = createMessaging(options, { network, operations: tokenOperations, seed, login });
  return {
    ...messaging,
    channel: () => ({
      name: "Instagram",
      settings: { accountId: ACCOUNT.id, token: TOKEN, appSecret: APP.secret },
    }),
    register: (server) => registerApp(messaging.core, APP.id, `${server}/apps/instagram`),
    env: () => ({
      META_INSTAGRAM_URL: options.origin(),
      INSTAGRAM_LOGIN_URL: options.origin(),
      INSTAGRAM_DIALOG_URL: options.origin(),
      INSTAGRAM_APP_ID: APP.id,
      INSTAGRAM_APP_SECRET: APP.secret,
      META_VERIFY_TOKEN: DEMO_VERIFY_TOKEN,
    }),
  };
}

const login = ({ core, world }: Platform) =>
  loginPage({
    core,
    path: "/oauth/authorize",
    choices: () => world.accounts.filter(({ id }) => id !== FOREIGN_ACCOUNT.id),
    user: USER,
  });

function seed(platform: Platform): void {
  const { core } = platform;
  core.apps.add(APP);
  for (const account of [ACCOUNT, SECOND_ACCOUNT, FOREIGN_ACCOUNT]) addAccount(platform, account);
  const expiresAt = core.clock.now() + LONG_MS;
  const token = { app: APP.id, type: "USER" as const, rights: RIGHTS, expiresAt };
  core.tokens.add({ ...token, value: TOKEN, user: USER, nodes: [ACCOUNT.id] });
  core.tokens.add({ ...token, value: SECOND_TOKEN, user: "26000000000000002", nodes: [SECOND_ACCOUNT.id] });
  addPerson(platform, { firstName: "Ada", lastName: "Reyes" });
  addPerson(platform, { firstName: "Boris", lastName: "Orlov" });
}
