import * as z from "zod";
import { type GraphOptions, graphClient } from "./graph.ts";

const subscriptions = z.object({
  data: z.array(z.object({ object: z.string(), callback_url: z.string().nullish() })),
});
const done = z.unknown();

interface App {
  id: string;
  secret: string;
  /** The object that its webhook reports on, such as `page`, and which of its events. */
  object: string;
  fields: readonly string[];
  /** The address, and the token with which Meta verifies it. */
  doorUrl: string;
  verifyToken: string;
}

/** The one address to which a shop's own app sends everything. */
export interface AppWebhook {
  /** Undefined: there is none. */
  address(signal: AbortSignal): Promise<string | undefined>;
  /** `only`: some of the fields; default all. */
  set(signal: AbortSignal, only?: readonly string[]): Promise<void>;
  remove(signal: AbortSignal): Promise<void>;
}

/** `options`: those of calls with the login's token; the app has a token of its own. */
export function appWebhook(options: GraphOptions, app: App): AppWebhook {
  const { id, secret, object } = app;
  const graph = graphClient({ ...options, headers: { authorization: `Bearer ${id}|${secret}` } });
  const path = `${id}/subscriptions`;
  const what = "the app's webhook";
  return {
    async address(signal) {
      const { data } = await graph.call({ method: "GET", path, result: subscriptions, what }, signal);
      return data.find((each) => each.object === object && each.callback_url)?.callback_url || undefined;
    },
    async set(signal, only = app.fields) {
      const fields = only.join(",");
      const body = { object, callback_url: app.doorUrl, verify_token: app.verifyToken, fields };
      await graph.call({ method: "POST", path, body, result: done, what, repeatable: true }, signal);
    },
    async remove(signal) {
      await graph.call({ method: "DELETE", path, query: { object }, result: done, what }, signal);
    },
  };
}
