import type { Context } from "hono";
import { Overload } from "../domain/overload.ts";
import type { Log } from "../log.ts";
import type { AcceptInbound } from "../relay/inbound.ts";
import type { OpenChannel, Sessions } from "../relay/sessions.ts";
import { BodyTooLarge, BodyTooSlow, cappedRequest, type Env, remoteAddress } from "./guard.ts";
import { laterAnswer } from "./overload.ts";

export interface MessengerDoorParts {
  sessions: Sessions;
  acceptInbound: AcceptInbound;
  log: Log;
}

const tooLarge = (c: Context<Env>) =>
  c.json({ error: { message: "The body is too large" } }, 413, {
    connection: "close",
    "access-control-allow-origin": "*",
  });

/** `/m/:door/*`: the session authenticates and parses; its reply leaves after the events are on the disk. */
export function messengerDoor({ sessions, acceptInbound, log }: MessengerDoorParts) {
  return async (c: Context<Env>): Promise<Response> => {
    let passed = () => false;
    let open: OpenChannel | undefined;
    try {
      open = await sessions.byDoor(c.req.param("door") ?? "");
      if (!open) return c.json({ error: { message: "Not found" } }, 404);
      const rest = c.req.path.split("/").slice(3).join("/");
      const capped = cappedRequest(c, open.adapter.bodyLimit(rest));
      passed = capped.passed;
      const receipt = await open.session.receive(capped.request, remoteAddress(c));
      if (passed()) return tooLarge(c);
      await acceptInbound(open.channel, receipt);
      return receipt.reply;
    } catch (error) {
      if (passed() || error instanceof BodyTooLarge) return tooLarge(c);
      if (error instanceof BodyTooSlow)
        return c.json({ error: { message: "The body took too long" } }, 408, { connection: "close" });
      if (error instanceof Overload) return laterAnswer(c, error, log, { channel: open?.channel.id });
      log.error("messenger.not-stored", { channel: open?.channel.id, error: String(error) });
      const body = { error: { message: "The message could not be stored; send it again" } };
      return c.json(body, 503, { "retry-after": "5", "access-control-allow-origin": "*" });
    }
  };
}
