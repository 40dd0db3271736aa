import { type Graph, type GraphOptions, graphClient } from "gangway-meta/graph";
import { rightsCheck } from "gangway-meta/rights";
import { appTokenOf } from "gangway-meta/server";
import { debugToken, type Inspected } from "gangway-meta/token";
import * as z from "zod";
import { type Context, isOperatorsApp, secretOf } from "./server.ts";
import { TABLE } from "./verdict.ts";

/** What a token must be allowed, by Meta's names. */
export const RIGHTS = ["pages_messaging", "pages_manage_metadata"] as const;

export const graphOptions = ({ call, clock, settings, server }: Context): GraphOptions => ({
  call,
  clock,
  network: "Messenger",
  baseUrl: `${server.META_GRAPH_URL}/${server.META_API_VERSION}`,
  headers: { authorization: `Bearer ${settings.token}` },
  secrets: [settings.token, secretOf(settings, server), settings.verifyToken],
  table: TABLE,
});

/** Client of the Graph API for one page. Throws DeliveryError. */
export function pageGraph(context: Context): Graph {
  const options = graphOptions(context);
  const probe = { path: context.settings.pageId, query: { fields: "id" } };
  const otherwise = rightsCheck({
    needed: RIGHTS,
    known: (signal) => debugToken(tokenOf(context), signal),
    tried: { right: RIGHTS[0], call: (signal) => askProfile(graphClient(options), context.settings.pageId, signal) },
  });
  return graphClient({ ...options, probe, otherwise });
}

/** For questions about the token. */
export const tokenOf = (context: Context): Inspected => ({
  graph: graphClient(graphOptions(context)),
  token: context.settings.token,
  appToken: isOperatorsApp(context.settings, context.server) ? appTokenOf(context.server) : undefined,
});

/** Takes `pages_messaging` (docs/messenger-platform/reference/messenger-profile-api). */
export async function askProfile(graph: Graph, pageId: string, signal: AbortSignal): Promise<void> {
  const query = { fields: "greeting" };
  const path = `${pageId}/messenger_profile`;
  await graph.call({ method: "GET", path, query, result: z.unknown(), what: "the Messenger profile" }, signal);
}
