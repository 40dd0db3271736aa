import type { Context } from "hono";
import { agentOf } from "../bot/speaker.ts";
import type { Bench, Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createLimit } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { apiKeyOf } from "./resource/actor.ts";
import { checkRights } from "./rights.ts";

/** Where the CRM's API is entered, and by whom. */
export interface Entrance {
  /** Prefix of its paths. */
  root: string;
  /** Throws a Refusal. */
  admit(c: Context<Env>): void;
}

/** Integrations: by a key, with its rights and at its pace. */
export function byKey({ world, clock }: Gateway, { judge, unknowns }: Bench): Entrance {
  const limit = createLimit(clock.now);
  return {
    root: "",
    admit(c) {
      if (c.req.path === "/api/system-info") return;
      const key = apiKeyOf(c);
      if (!key) throw new Refusal(403, '"apiKey" is missing.', "a key is given");
      const { crmPerSecond, crmTooMany, ...counting } = unknowns();
      if (crmPerSecond > 0 && limit.exceeded(key, crmPerSecond, counting))
        throw new Refusal(crmTooMany as 429, "Rate limit exceeded", "requests a second and key");
      const known = world.keys.get(key);
      if (!known) throw new Refusal(403, 'Wrong "apiKey" value.', "the key exists");
      // Unknown paths need no right: they answer 404.
      const operation = judge.operation("crm", c.req.method, c.req.path);
      if (operation) checkRights(known, operation, c.req.path);
    },
  };
}

/** Agents at work in the inbox: by their token; histories name the user. */
export const byAgent = ({ world }: Gateway, root: string): Entrance => ({
  root,
  admit: (c) => c.set("user", agentOf(world, c)),
});
