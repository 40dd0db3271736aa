import { getPath } from "hono/utils/url";
import type { Judge } from "./judge.ts";

// Clients build URLs from `endpointUrl` differently: some append the API's path, some do not, with or without a slash.
// All of them work, whichever form was announced.

const APIS = { "x-transport-token": ["gateway", "/api/transport/v1"], "x-bot-token": ["bot", "/api/bot/v1"] } as const;
const REPEATED = /^(\/api\/(?:transport|bot)\/v1)(?:\1)+(?=\/|$)/;

/** Collapses slashes and a repeated API prefix. Telegram's paths stay untouched. */
export const plainPath = (request: Request): string => {
  const path = getPath(request);
  return path.startsWith("/telegram/") ? path : path.replaceAll(/\/{2,}/g, "/").replace(REPEATED, "$1");
};

/** `plainPath`; a call without a prefix goes to the API whose token it carries. */
export const routePath =
  (judge: Judge) =>
  (request: Request): string => {
    const path = plainPath(request);
    for (const [header, [side, base]] of Object.entries(APIS))
      if (hasHeader(request, header) && judge.operation(side, request.method, path)) return `${base}${path}`;
    return path;
  };

/** Browsers send the token's header name as a WebSocket subprotocol. */
const hasHeader = ({ headers }: Request, header: string): boolean =>
  headers.has(header) || (headers.get("sec-websocket-protocol") ?? "").startsWith(header);
