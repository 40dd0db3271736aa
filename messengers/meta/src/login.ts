import type { CameBack } from "gangway-messenger/apps";
import { DeliveryError } from "gangway-messenger/errors";
import * as z from "zod";
import { type Graph, graphClient } from "./graph.ts";
import type { MetaServer } from "./server.ts";
import type { Row } from "./verdict.ts";

const token = z.object({ access_token: z.string().min(1) });

/** URL of Facebook's login dialog. `more`: further parameters, such as `config_id`. */
export function dialogUrl(
  { redirectUrl, state }: { redirectUrl: string; state: string },
  server: MetaServer,
  { scopes, more = {} }: { scopes: readonly string[]; more?: Record<string, string> },
): string {
  const query = new URLSearchParams({
    client_id: server.META_APP_ID ?? "",
    redirect_uri: redirectUrl,
    state,
    response_type: "code",
    scope: scopes.join(","),
    ...more,
  });
  return `${server.META_DIALOG_URL}/${server.META_API_VERSION}/dialog/oauth?${query}`;
}

interface LoginOptions {
  network: string;
  table: readonly Row[];
  /** Default META_GRAPH_URL. */
  graphUrl?: string;
}

/** A client for a token that is not stored yet; with an empty one it sends none. */
export function loginGraph(
  { server, call, clock }: CameBack<MetaServer>,
  accessToken: string,
  { network, table, graphUrl = server.META_GRAPH_URL }: LoginOptions,
): Graph {
  return graphClient({
    call,
    clock,
    network,
    table,
    baseUrl: `${graphUrl}/${server.META_API_VERSION}`,
    headers: accessToken ? { authorization: `Bearer ${accessToken}` } : {},
    secrets: [accessToken, server.META_APP_SECRET ?? ""],
  });
}

/** Exchanges the code of the person who came back for a token. Throws DeliveryError. */
export async function tokenForCode(from: CameBack<MetaServer>, options: LoginOptions, signal: AbortSignal) {
  const { server, query, redirectUrl } = from;
  if (!query.code) throw new DeliveryError({ type: "reject", code: "general" }, "the login at Meta was cancelled");
  const { access_token } = await loginGraph(from, "", options).call(
    {
      method: "GET",
      path: "oauth/access_token",
      query: {
        client_id: server.META_APP_ID,
        client_secret: server.META_APP_SECRET,
        redirect_uri: redirectUrl,
        code: query.code ?? "",
      },
      result: token,
      what: "the login",
    },
    signal,
  );
  return access_token;
}

/** A token of a person, exchanged for one that lives about 60 days. Throws DeliveryError. */
export async function longLivedToken(
  from: CameBack<MetaServer>,
  short: string,
  options: LoginOptions,
  signal: AbortSignal,
) {
  const { server } = from;
  const { access_token } = await loginGraph(from, short, options).call(
    {
      method: "GET",
      path: "oauth/access_token",
      query: {
        grant_type: "fb_exchange_token",
        client_id: server.META_APP_ID,
        client_secret: server.META_APP_SECRET,
        fb_exchange_token: short,
      },
      result: token,
      what: "the login's long-lived token",
    },
    signal,
  );
  return access_token;
}
