import * as z from "zod";
import type { Graph } from "../graph.ts";

const apps = z.object({
  data: z.array(z.object({ id: z.union([z.string(), z.number()]).transform(String).nullish() })),
});
const done = z.unknown();

/** Events of a page or account that the app's webhook gets. */
export interface Subscribing {
  /** Whether the app is subscribed; without its id, whether any app is. */
  isSubscribed(appId: string | undefined, signal: AbortSignal): Promise<boolean>;
  subscribe(signal: AbortSignal): Promise<void>;
  unsubscribe(signal: AbortSignal): Promise<void>;
}

export function subscribing(graph: Graph, ownId: string, fields: readonly string[]): Subscribing {
  const path = `${ownId}/subscribed_apps`;
  const what = "the subscription";
  return {
    async isSubscribed(appId, signal) {
      const { data } = await graph.call({ method: "GET", path, result: apps, what }, signal);
      return data.some(({ id }) => appId === undefined || id === appId);
    },
    async subscribe(signal) {
      const query = { subscribed_fields: fields.join(",") };
      await graph.call({ method: "POST", path, query, result: done, what, repeatable: true }, signal);
    },
    async unsubscribe(signal) {
      await graph.call({ method: "DELETE", path, result: done, what }, signal);
    },
  };
}
