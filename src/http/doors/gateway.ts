import type { Context } from "hono";
import type { Account } from "../../domain/account/account.ts";
import { Overload } from "../../domain/delivery/overload.ts";
import { sameSecret } from "../../domain/ids.ts";
import { isOverNested } from "../../domain/nesting.ts";
import type { Log } from "../../log.ts";
import type { AcceptOutbound } from "../../relay/accept/outbound.ts";
import type { AddressOf, Env } from "../serving/env.ts";
import { BodyTooLarge, BodyTooSlow, clientAborted, readBody } from "./body.ts";
import { laterAnswer } from "./overload.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface GatewayDoorParts {
  accountByWebhook(secret: string): Promise<Account | undefined>;
  acceptOutbound: AcceptOutbound;
  limit: number;
  guesses: RateLimit;
  addressOf: AddressOf;
  log: Log;
}

const error = (message: string) => ({ error: { code: "general", message } });

/** `POST /gateway/:secret`: both the secret in the path and the ClientId header must match the account. */
export function gatewayDoor(parts: GatewayDoorParts) {
  return async (c: Context<Env>): Promise<Response> => {
    let account: Account | undefined;
    try {
      account = await parts.accountByWebhook(c.req.param("secret") ?? "");
      // Same work and same answer, whichever of the two is wrong.
      const proven = sameSecret(c.req.header("clientid") ?? "", account?.clientId ?? "no account");
      if (!account || !proven) {
        if (parts.guesses.take(parts.addressOf(c))) return c.json(error("Not found"), 404);
        return c.json(error("Too many requests"), 429, { "retry-after": "60" });
      }
      const body = await readBody(c, parts.limit);
      if (isOverNested(body)) return c.json(error("(body): is nested too deeply or holds too much"), 400);
      const answer = await parts.acceptOutbound(account, body);
      return c.json(answer.body, answer.status);
    } catch (fault) {
      if (fault instanceof BodyTooLarge) return c.json(error("The body is too large"), 413, { connection: "close" });
      if (fault instanceof BodyTooSlow) return c.json(error("The body took too long"), 408, { connection: "close" });
      if (fault instanceof Overload) return laterAnswer(c, fault, parts.log, { account: account?.id });
      if (account && clientAborted(c, fault)) throw fault;
      parts.log.error("webhook.not-stored", { account: account?.id, error: String(fault) });
      return c.json(error("The event could not be stored; send it again"), 503, { "retry-after": "5" });
    }
  };
}
