import type { HostedContext } from "gangway-messenger/hosted";
import { newId } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import { callBack } from "./callback.ts";
import type { Settings } from "./wire.ts";

type Connection = Pick<ChannelSession, "connect" | "disconnect">;

/** An app with a URL of its own is notified of the channel, and has to accept that. */
export function connecting(context: HostedContext<Settings>): Connection {
  const { name, doorUrl: door, settings, clock } = context;
  return {
    async connect(signal) {
      signal.throwIfAborted();
      const about = { id: `evt_${newId<string>()}`, timestamp: new Date(clock.now()).toISOString() };
      const event = { ...about, type: "channel.connected", data: { name, door } } as const;
      if (settings.callbackUrl !== undefined) await callBack(context, settings.callbackUrl, event, signal);
      return { name };
    },
    disconnect: async () => {},
  };
}
