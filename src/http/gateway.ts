import type { Context } from "hono";
import type { Account } from "../domain/account.ts";
import type { Log } from "../log.ts";
import type { AcceptOutbound } from "../relay/outbound.ts";
import { type AddressOf, BodyTooLarge, type Env, readBody, sameSecret, type Tries } from "./guard.ts";

export interface GatewayDoorParts {
  accountByWebhook(secret: string): Promise<Account | undefined>;
  acceptOutbound: AcceptOutbound;
  limit: number;
  guesses: Tries;
  addressOf: AddressOf;
  log: Log;
}

const error = (message: string) => ({ error: { code: "general", message } });

/** `POST /gateway/:secret`: the path proves the account, the header ClientId proves it again. */
export function gatewayDoor(parts: GatewayDoorParts) {
  return async (c: Context<Env>): Promise<Response> => {
    const account = await parts.accountByWebhook(c.req.param("secret") ?? "");
    // The same work and the same answer, whichever of the two is wrong.
    const proven = sameSecret(c.req.header("clientid") ?? "", account?.clientId ?? "no account");
    if (!account || !proven) {
      if (parts.guesses.take(parts.addressOf(c))) return c.json(error("Not found"), 404);
      return c.json(error("Too many requests"), 429, { "retry-after": "60" });
    }
    try {
      const answer = await parts.acceptOutbound(account, await readBody(c, parts.limit));
      return c.json(answer.body, answer.status);
    } catch (fault) {
      if (fault instanceof BodyTooLarge) return c.json(error("The body is too large"), 413, { connection: "close" });
      parts.log.error("webhook.not-stored", { account: account.id, error: String(fault) });
      return c.json(error("The event could not be stored; send it again"), 503, { "retry-after": "5" });
    }
  };
}
