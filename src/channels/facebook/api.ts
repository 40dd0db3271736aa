import { type Graph, type GraphOptions, graphClient } from "../meta/graph.ts";
import { rightsCheck } from "../meta/rights.ts";
import { type Context, secretOf } from "./server.ts";
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
  return graphClient({
    ...options,
    probe,
    otherwise: rightsCheck(graphClient(options), context.settings.token, RIGHTS),
  });
}
