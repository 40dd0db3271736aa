import type { Context } from "hono";
import { Hono } from "hono";
import type * as z from "zod";
import { reachesPowerOfTen } from "../../domain/counts.ts";
import { Overload } from "../../domain/delivery.ts";
import type { ApiToken } from "../../domain/vendor.ts";
import type { Log } from "../../log.ts";
import { BodyTooLarge, type Env, readBody } from "../serving/request.ts";
import { openapi, type problem } from "./openapi.ts";
import { type ApiActs, NotYet, ROUTES, type Route } from "./routes.ts";

export interface ApiParts extends ApiActs {
  /** Looks up a bearer token. */
  tokenOf(token: string): Promise<ApiToken | undefined>;
  /** Whether a database error is temporary. */
  isAway(error: unknown): boolean;
  log: Log;
}

type C = Context<Env>;

const MAX_BODY = 64 * 1024;
const BEARER = /^Bearer (\S{1,200})$/i;

/** The API for the vendor's programs. Without a token every path gets the same response, even if nothing is there. */
export function apiSite(parts: ApiParts): Hono<Env> {
  const site = new Hono<Env>();
  const { log } = parts;
  const isKnown = tokenGuard(parts);
  site.use("*", async (c, next) => {
    c.header("cache-control", "no-store");
    const token = await isKnown(c);
    if (!token) return refuse(c, 401, "A valid token is required", { "www-authenticate": "Bearer" });
    c.set("apiToken", token);
    return next();
  });
  site.onError((error, c) => {
    if (error instanceof BodyTooLarge) return refuse(c, 413, `The body has more than ${MAX_BODY} bytes`);
    if (error instanceof Overload) return refuse(c, 503, error.message, { "retry-after": String(error.retryAfter) });
    if (error instanceof NotYet)
      return refuse(c, 503, "The figures are not read yet: try again in a minute", { "retry-after": "60" });
    log.error("http.failed", { path: c.req.routePath, error: error.message });
    if (parts.isAway(error)) return refuse(c, 503, "The database is away", { "retry-after": "10" });
    return refuse(c, 500, "This has failed; see the log");
  });
  let document: ReturnType<typeof openapi> | undefined;
  site.get("/openapi.json", (c) => {
    document ??= openapi();
    return c.json(document);
  });
  // Fixed paths must precede paths with parameters.
  for (const route of ROUTES)
    site.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (c) => answer(parts, route, c));
  site.all("*", (c) => refuse(c, 404, "There is nothing here"));
  return site;
}

/** 256-bit tokens cannot be guessed, so failures are counted, not limited. */
function tokenGuard({ tokenOf, log }: ApiParts) {
  let refused = 0;
  return async (c: C): Promise<ApiToken | undefined> => {
    const [, given] = BEARER.exec(c.req.header("authorization") ?? "") ?? [];
    const token = given === undefined ? undefined : await tokenOf(given);
    if (token) return token;
    refused += 1;
    if (reachesPowerOfTen(refused)) log.warn("api.refused", { count: refused });
    return undefined;
  };
}

async function answer(parts: ApiParts, route: Route, c: C): Promise<Response> {
  const token = c.get("apiToken");
  if (!token.scopes.includes(route.scope))
    return refuse(c, 403, `The token "${token.name}" lacks the scope ${route.scope}`);
  const body = route.body ? jsonIn(await readBody(c, MAX_BODY)) : undefined;
  const given = { params: c.req.param(), query: c.req.query(), body };
  const errors: Errors = [];
  const parsed = {
    params: read(route.params, given.params, "path", errors),
    query: read(route.query, given.query, "query", errors),
    body: read(route.body, given.body, "body", errors),
  };
  if (errors.length > 0) return refuse(c, 400, "What was asked for is not right", {}, errors);
  const found = await route.run(parts, { ...parsed, token });
  return found === undefined ? refuse(c, 404, "There is nothing here") : c.json(found);
}

/** Undefined if the text is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Errors = NonNullable<z.infer<typeof problem>["errors"]>;

function read(type: z.ZodType | undefined, value: unknown, place: string, errors: Errors): unknown {
  if (!type) return undefined;
  const parsed = type.safeParse(value);
  for (const { path, message } of parsed.error?.issues ?? [])
    errors.push({ path: [place, ...path].join("."), message });
  return parsed.data;
}

function refuse(
  c: Context,
  status: 400 | 401 | 403 | 404 | 413 | 500 | 503,
  title: string,
  headers: Record<string, string> = {},
  errors?: Errors,
): Response {
  const body: z.infer<typeof problem> = { title, status, ...(errors && { errors }) };
  return c.body(JSON.stringify(body), status, { ...headers, "content-type": "application/problem+json" });
}
