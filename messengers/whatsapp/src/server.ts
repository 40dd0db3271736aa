import type { ChannelContext } from "gangway-messenger/port";
import { address, GRAPH_URL, metaSettings } from "gangway-meta/server";
import type * as z from "zod";
import type { Settings } from "./wire.ts";

const DIALOG_360_URL = "https://waba-v2.360dialog.io";

export const serverSettings = metaSettings.extend({
  WHATSAPP_API_URL: address(GRAPH_URL).optional().describe("Address of the Cloud API, in place of META_GRAPH_URL."),
  DIALOG_360_URL: address(DIALOG_360_URL).prefault(DIALOG_360_URL).describe("Address of 360dialog's Cloud API."),
});
export type Server = z.infer<typeof serverSettings>;
export type Context = ChannelContext<Settings, Server>;

export const graphUrlOf = (server: Server): string => server.WHATSAPP_API_URL ?? server.META_GRAPH_URL;

/** The secret that signs webhooks: of the shop's own app, or of the operator's. Empty: there is none. */
export const secretOf = ({ appSecret }: Settings, server: Pick<Server, "META_APP_SECRET">): string =>
  appSecret || (server.META_APP_SECRET ?? "");

/** Also if its secret was typed: what that app sends comes to the operator's address. */
export const isOperatorsApp = (settings: Settings, server: Pick<Server, "META_APP_SECRET">): boolean =>
  server.META_APP_SECRET !== undefined && secretOf(settings, server) === server.META_APP_SECRET;
