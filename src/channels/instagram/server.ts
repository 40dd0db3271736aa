import * as z from "zod";
import { address, metaSettings } from "../meta/server.ts";
import type { ChannelContext } from "../port.ts";
import type { Settings } from "./wire.ts";

const GRAPH_URL = "https://graph.instagram.com";
const LOGIN_URL = "https://api.instagram.com";
const DIALOG_URL = "https://www.instagram.com";

export const serverSettings = metaSettings.extend({
  META_INSTAGRAM_URL: address(GRAPH_URL).default(GRAPH_URL),
  INSTAGRAM_LOGIN_URL: address(LOGIN_URL).default(LOGIN_URL),
  INSTAGRAM_DIALOG_URL: address(DIALOG_URL).default(DIALOG_URL),
  /** Not those of the app at Meta that it belongs to. */
  INSTAGRAM_APP_ID: z.string().regex(/^\d+$/, "should be the app's id, in digits").optional(),
  INSTAGRAM_APP_SECRET: z.string().min(16, "should be the app's secret, as Meta shows it").optional(),
});
export type Server = z.infer<typeof serverSettings>;
export type Context = ChannelContext<Settings, Server>;

/** The secret that signs webhooks: of the shop's own app, or of the operator's. Empty: there is none. */
export const secretOf = ({ appSecret }: Settings, server: Pick<Server, "INSTAGRAM_APP_SECRET">): string =>
  appSecret || (server.INSTAGRAM_APP_SECRET ?? "");
