import type { ChannelContext, ChannelSession } from "gangway-messenger/port";
import type { Api } from "./api.ts";
import type { Settings } from "./wire.ts";

type Connection = Required<Pick<ChannelSession, "identify" | "connect" | "disconnect">>;

/** Subscribes, and finds out whose login it is. */
export function connecting({ doorUrl }: ChannelContext<Settings>, _api: Api): Connection {
  return {
    async identify() {
      throw new Error("write me: whose login it is, as `acme:<id>`");
    },
    async connect() {
      throw new Error(`write me: the credentials checked, and ${doorUrl} subscribed; safe to repeat`);
    },
    async disconnect() {
      throw new Error("write me: our own subscription ended, and no other");
    },
  };
}
