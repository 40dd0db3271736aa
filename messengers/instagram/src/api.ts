import { type Graph, type GraphOptions, graphClient } from "gangway-meta/graph";
import { rightsCheck } from "gangway-meta/rights";
import * as z from "zod";
import { type Context, secretOf } from "./server.ts";
import { TABLE } from "./verdict.ts";

/** What a token must be allowed, by Meta's names. */
export const RIGHTS = ["instagram_business_basic", "instagram_business_manage_messages"] as const;
export const COMMENT_RIGHT = "instagram_business_manage_comments";

export const graphOptions = ({ call, clock, settings, server }: Context): GraphOptions => ({
  call,
  clock,
  network: "Instagram",
  baseUrl: `${server.META_INSTAGRAM_URL}/${server.META_API_VERSION}`,
  headers: { authorization: `Bearer ${settings.token}` },
  secrets: [settings.token, secretOf(settings, server), settings.verifyToken],
  table: TABLE,
});

/** Client of the Graph API for one account. Throws DeliveryError. */
export function accountGraph(context: Context): Graph {
  const options = graphOptions(context);
  const plain = graphClient(options);
  const probe = { path: "me", query: { fields: "user_id" } };
  // Instagram gives no information about its tokens.
  const otherwise = rightsCheck({
    needed: RIGHTS,
    known: async () => undefined,
    tried: { right: RIGHTS[1], call: (signal) => askConversations(plain, context.settings.accountId, signal) },
  });
  return graphClient({ ...options, probe, otherwise });
}

/** Requires the right to messages, and the owner's consent. */
export async function askConversations(graph: Graph, accountId: string, signal: AbortSignal): Promise<void> {
  const query = { platform: "instagram", limit: "1" };
  const path = `${accountId}/conversations`;
  await graph.call({ method: "GET", path, query, result: z.unknown(), what: "the conversations" }, signal);
}
