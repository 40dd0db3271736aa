import { getPath } from "hono/utils/url";
import type { Judge } from "./judge.ts";

// Clients make an address of `endpointUrl` in their own ways: some append the API's path, some do not, with or without
// a slash between. All of them arrive, whatever was announced.

const APIS = { "x-transport-token": ["gateway", "/api/transport/v1"], "x-bot-token": ["bot", "/api/bot/v1"] } as const;
const REPEATED = /^(\/api\/(?:transport|bot)\/v1)(?:\1)+(?=\/|$)/;

/** The path with single slashes and with the API's own path once. Telegram's paths stay as they came. */
export const plainPath = (request: Request): string => {
  const path = getPath(request);
  return path.startsWith("/telegram/") ? path : path.replaceAll(/\/{2,}/g, "/").replace(REPEATED, "$1");
};

/** As above; a call at the bare host is the API's whose token it carries. */
export const addressing =
  (judge: Judge) =>
  (request: Request): string => {
    const path = plainPath(request);
    for (const [header, [side, base]] of Object.entries(APIS))
      if (carries(request, header) && judge.operation(side, request.method, path)) return `${base}${path}`;
    return path;
  };

/** A browser's socket names the token's header as a subprotocol. */
const carries = ({ headers }: Request, header: string): boolean =>
  headers.has(header) || (headers.get("sec-websocket-protocol") ?? "").startsWith(header);
