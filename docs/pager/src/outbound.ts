import { DeliveryError } from "gangway-messenger/errors";
import type { MessengerMessageId } from "gangway-messenger/ids";
import type { ChannelSession } from "gangway-messenger/port";
import { z } from "zod";
import type { Api } from "./api.ts";

const sent = z.object({ id: z.string() });

/** One step is one call, carried out completely or not at all; the signal ends it. */
export function sending(api: Api): Pick<ChannelSession, "send" | "revisions"> {
  return {
    async send({ text, files }, { chat, key }, signal) {
      signal.throwIfAborted();
      if (files.length > 0 || text === "")
        throw new DeliveryError({ type: "reject", code: "general" }, "a page holds words only");
      const body = { to: chat, text, key };
      const { id } = await api({ method: "POST", path: "/v1/pages", body, result: sent }, signal);
      return { parts: [{ messengerMessageId: id as MessengerMessageId, holds: "text" }] };
    },
    revisions: {
      async edit() {
        const error = new DeliveryError({ type: "reject", code: "general" }, "a page cannot be edited");
        // The relay then deletes the page and sends it anew.
        error.hindrance = { code: "fixed" };
        throw error;
      },
      async delete({ messengerMessageId: id }, signal) {
        const path = `/v1/pages/${encodeURIComponent(id)}`;
        await api({ method: "DELETE", path, result: z.unknown() }, signal);
      },
    },
  };
}
