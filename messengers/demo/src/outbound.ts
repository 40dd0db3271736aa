import { DeliveryError } from "gangway-messenger/errors";
import type { HostedContext } from "gangway-messenger/hosted";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import type { Entry, Settings } from "./wire.ts";

/** An agent's text counts as sent once it is in the journal, under its key. */
export function sending({ journal }: HostedContext<Settings>): Pick<ChannelSession, "send"> {
  return {
    async send({ text, files, author }, { chat, key }, signal) {
      signal.throwIfAborted();
      if (files.length > 0 || text === "")
        throw new DeliveryError({ type: "reject", code: "general" }, "the demo customer reads texts only");
      const id = `a.${key}`;
      const entry: Entry = { from: "agent", id, text, author: author?.name };
      await journal.append([{ chat, key: `out:${key}`, entry }]).catch(() => {
        throw new DeliveryError({ type: "retry" }, "the demo customer's chat could not be written");
      });
      return { parts: [{ messengerMessageId: id as MessengerMessageId, holds: "text" }] };
    },
  };
}
