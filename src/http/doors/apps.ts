import type { Context } from "hono";
import type { Log } from "../../log.ts";
import type { Apps } from "../../module/channels/apps.ts";
import type { AddressOf, Env } from "../serving/env.ts";
import { cappedRequest } from "./body.ts";
import { type DoorRequest, failedAnswer, tooLarge } from "./door.ts";
import type { RateLimit } from "./rate-limit.ts";

export interface AppDoorParts {
  apps: Apps;
  guesses: RateLimit;
  addressOf: AddressOf;
  log: Log;
}

/** `/apps/:kind` and below: what a messenger sends to the vendor's app, for many channels at once. */
export function appDoor({ apps, guesses, addressOf, log }: AppDoorParts) {
  const stranger = (c: Context<Env>, answer: () => Response) =>
    guesses.take(addressOf(c)) ? answer() : c.body(null, 429, { "retry-after": "60" });
  return async (c: Context<Env>): Promise<Response> => {
    // A Request cannot have this method (Fetch standard).
    if (c.req.method === "TRACE") return c.notFound() as Response;
    const kind = c.req.param("kind") ?? "";
    const app = apps.of(kind);
    if (!app) return stranger(c, () => c.json({ error: { message: "Not found" } }, 404));
    const asked: DoorRequest = { headers: {}, exceeded: () => false, about: { kind } };
    try {
      const capped = await cappedRequest(c, app.bodyLimit);
      asked.exceeded = capped.exceeded;
      const receipt = await app.read(capped.request);
      if (capped.exceeded()) return tooLarge(c, asked);
      app.heard(receipt);
      const { reply } = receipt;
      if (reply.status === 401 || reply.status === 403) return stranger(c, () => reply);
      return await app.take(receipt);
    } catch (error) {
      return failedAnswer(c, error, asked, log);
    }
  };
}
