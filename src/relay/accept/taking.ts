import type { ChannelAdapter, ChannelSession, Receipt } from "../../channels/port.ts";
import type { Channel } from "../../domain/channel/channel.ts";
import { type Bound, Overload } from "../../domain/delivery/overload.ts";
import type { RawWebhook } from "../../domain/delivery/raw-webhook.ts";
import { errorText } from "../../domain/errors.ts";
import type { ChannelId } from "../../domain/ids.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { AcceptInbound } from "./inbound.ts";

/** Reads a part of a request as its channel's own door would, and stores what it brings. */
export type Take = (channel: Channel, part: RawWebhook, proven: boolean) => Promise<Taken>;

/** `unable`: the channel can take nothing now, or its session fails on this part alone. */
type Taken =
  | { type: "taken" }
  | { type: "refused"; status: number }
  | { type: "unable"; by: "channel" | "part"; proven: boolean; why: string };

interface TakingParts {
  sessions: Pick<Sessions, "adapter" | "of" | "requestFor">;
  acceptInbound: AcceptInbound;
  keepRaw: boolean;
  /** Called after each part that a session has answered. */
  doorAnswered(id: ChannelId, status: number): void;
}

/** Of the whole server: nobody's request can be stored. */
const SERVER: Bound[] = ["process", "disk"];

/** Throws Overload of the whole server, and what else keeps it from storing. */
export function createTake({ sessions, acceptInbound, keepRaw, doorAnswered }: TakingParts): Take {
  return async (channel, part, proven) => {
    const unable = (by: "channel" | "part", why: string, isProven = proven): Taken => ({
      ...{ type: "unable", by, proven: isProven, why },
    });
    let session: ChannelSession;
    let request: Request;
    try {
      session = sessions.of(channel);
      request = sessions.requestFor(channel, part, proven ? "proven" : undefined);
    } catch (error) {
      return unable("channel", errorText(error));
    }
    let receipt: Receipt;
    try {
      receipt = await session.receive(request);
    } catch (error) {
      return unable("part", errorText(error));
    }
    await receipt.reply.body?.cancel();
    const { status } = receipt.reply;
    doorAnswered(channel.id, status);
    if (status === 401 || status === 403) return { type: "refused", status };
    if (status === 429 || status >= 500) return unable("part", `its session answered ${status}`);
    try {
      await acceptInbound(channel, receipt, keepRaw ? () => keptOf(sessions.adapter(channel.kind), part) : undefined);
    } catch (error) {
      if (!(error instanceof Overload) || SERVER.includes(error.bound)) throw error;
      return unable("channel", error.message, true);
    }
    return { type: "taken" };
  };
}

/** A part as it is kept: without what authenticates it. */
export function keptOf(adapter: ChannelAdapter | undefined, { path, headers, body }: RawWebhook): RawWebhook {
  const kept = (adapter?.keptHeaders ?? []).flatMap((name) =>
    headers[name] === undefined ? [] : [[name, headers[name]]],
  );
  return { path, headers: Object.fromEntries(kept), body };
}
