import type { ChannelContext } from "gangway-messenger/port";
import { address, metaSettings } from "gangway-meta/server";
import * as z from "zod";
import type { Settings } from "./wire.ts";

const GRAPH_URL = "https://graph.instagram.com";
const LOGIN_URL = "https://api.instagram.com";
const DIALOG_URL = "https://www.instagram.com";

export const serverSettings = metaSettings.extend({
  INSTAGRAM_APP_ID: z
    .string()
    .regex(/^\d+$/, "should be the app's id, in digits")
    .optional()
    .describe(
      "Id of the Instagram app of the operator's app at Meta, for logins at Instagram; not that app's own: messengers/instagram/README.md#an-app-of-the-operator.",
    ),
  INSTAGRAM_APP_SECRET: z
    .string()
    .min(16, "should be the app's secret, as Meta shows it")
    .optional()
    .meta({ description: "The Instagram app's secret.", secret: true }),
  META_INSTAGRAM_URL: address(GRAPH_URL).prefault(GRAPH_URL).describe("Address of Instagram's Graph API."),
  INSTAGRAM_LOGIN_URL: address(LOGIN_URL).prefault(LOGIN_URL).describe("Address at which Instagram gives tokens."),
  INSTAGRAM_DIALOG_URL: address(DIALOG_URL).prefault(DIALOG_URL).describe("Address of Instagram's login dialog."),
});
export type Server = z.infer<typeof serverSettings>;
export type Context = ChannelContext<Settings, Server>;

/** The secret that signs webhooks: of the shop's own app, or of the operator's. Empty: there is none. */
export const secretOf = ({ appSecret }: Settings, server: Pick<Server, "INSTAGRAM_APP_SECRET">): string =>
  appSecret || (server.INSTAGRAM_APP_SECRET ?? "");
