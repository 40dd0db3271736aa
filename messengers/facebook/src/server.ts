import type { ChannelContext } from "gangway-messenger/port";
import { type MetaServer, metaSettings } from "gangway-meta/server";
import type { Settings } from "./wire.ts";

export const serverSettings = metaSettings;
export type Server = MetaServer;
export type Context = ChannelContext<Settings, Server>;

/** The secret that signs webhooks: of the shop's own app, or of the operator's. Empty: there is none. */
export const secretOf = ({ appSecret }: Settings, server: Pick<Server, "META_APP_SECRET">): string =>
  appSecret || (server.META_APP_SECRET ?? "");

/** Also if its secret was typed: what that app sends comes to the operator's address. */
export const isOperatorsApp = (settings: Settings, server: Pick<Server, "META_APP_SECRET">): boolean =>
  server.META_APP_SECRET !== undefined && secretOf(settings, server) === server.META_APP_SECRET;
