import type { ChannelSession } from "gangway-messenger/port";
import type { Api } from "./api.ts";

/** One step is one call, carried out completely or not at all; the signal ends it. */
export function sending(_api: Api): Pick<ChannelSession, "send"> {
  return {
    async send(step, { chat }, signal) {
      signal.throwIfAborted();
      throw new Error(`write me: a ${step.kind} to ${chat} as a call of the network`);
    },
  };
}
