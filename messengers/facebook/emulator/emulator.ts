import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { DEMO_APP, demoAppEnv, registerApp } from "gangway-meta/emulator/demo-app";
import { loginPage } from "gangway-meta/emulator/login-page";
import { addAccount, addPerson } from "gangway-meta/emulator/messaging/chats";
import { createMessaging, type Messaging } from "gangway-meta/emulator/messaging/emulator";
import type { Platform } from "gangway-meta/emulator/messaging/network";
import { oauthOperations } from "gangway-meta/emulator/oauth";
import { network } from "./network.ts";
import { pagesOperation, profileOperation } from "./pages.ts";

/** Another vendor's: it must not read what the first one's pages get. */
export const OTHER_APP = { id: "700000000000002", name: "Other app", secret: "0ther0a0p0p0000000000000000000ff" };
export const PAGE = { id: "100000000000101", name: "Sandbox Shop" };
export const SECOND_PAGE = { id: "100000000000102", name: "Sandbox Outlet" };
/** A page that no token of the demo's may use. */
export const FOREIGN_PAGE = { id: "100000000000109", name: "Somebody's page" };
export const TOKEN = "EAASandboxPageToken0000000000000000000000000001";
export const SECOND_TOKEN = "EAASandboxPageToken0000000000000000000000000002";
const MANAGER = "10200000000000001";
export const RIGHTS = ["pages_messaging", "pages_manage_metadata", "pages_show_list", "human_agent"];

export interface FacebookEmulator extends Emulator, Omit<Messaging, "site"> {}

export function createEmulator(options: EmulatorOptions): FacebookEmulator {
  const messaging = createMessaging(options, {
    network,
    operations: (platform) => [pagesOperation(platform), profileOperation(platform), ...oauthOperations(platform.core)],
    seed,
    login: ({ core, world }) =>
      loginPage({
        core,
        path: "/:version{v\\d+\\.\\d+}/dialog/oauth",
        choices: () => world.accounts.filter(({ id }) => id !== FOREIGN_PAGE.id),
        user: MANAGER,
        // The address of the dialog is one for all networks.
        elsewhere: (scopes) =>
          scopes.some((scope) => scope.startsWith("whatsapp_"))
            ? `${core.origin().replace(/[^/]+$/, "whatsapp")}/v26.0/dialog/oauth`
            : undefined,
      }),
  });
  return {
    ...messaging,
    channel: () => ({ name: PAGE.name, settings: { pageId: PAGE.id, token: TOKEN, appSecret: DEMO_APP.secret } }),
    register: (server) => registerApp(messaging.core, DEMO_APP.id, `${server}/apps/facebook`),
    env: () => ({ META_GRAPH_URL: options.origin(), META_DIALOG_URL: options.origin(), ...demoAppEnv() }),
  };
}

function seed(platform: Platform): void {
  const { core } = platform;
  core.apps.add(DEMO_APP);
  core.apps.add(OTHER_APP);
  for (const page of [PAGE, SECOND_PAGE, FOREIGN_PAGE]) addAccount(platform, page);
  const token = { app: DEMO_APP.id, type: "PAGE" as const, rights: RIGHTS };
  core.tokens.add({ ...token, value: TOKEN, nodes: [PAGE.id] });
  core.tokens.add({ ...token, value: SECOND_TOKEN, nodes: [SECOND_PAGE.id] });
  addPerson(platform, { firstName: "Ada", lastName: "Reyes" });
  addPerson(platform, { firstName: "Борис", lastName: "Орлов" });
}
