import type { HttpBindings } from "@hono/node-server";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import type { Part } from "gangway-messenger/kit/emulator/multipart";
import { readMultipart } from "gangway-messenger/kit/emulator/multipart";
import { type Context, Hono } from "hono";
import type { App } from "./apps.ts";
import type { Core } from "./core.ts";
import { FILE, type MetaFault } from "./faults.ts";
import {
  appLimit,
  badToken,
  challengeOf,
  errorText,
  GraphRefusal,
  refusal,
  refusalOf,
  unknownFailure,
  unknownPath,
  unserved,
} from "./graph-error.ts";
import { withoutSecrets } from "./journal.ts";
import { MEDIA_PATH } from "./media.ts";
import type { Token } from "./tokens.ts";

type Env = { Bindings: Partial<HttpBindings> };

/** A call of the Graph API. */
export interface Asked {
  /** Of the path; `version` and the operation's own. */
  path: Record<string, string>;
  query: Record<string, string>;
  /** A JSON object, or a form's fields. */
  body: Record<string, unknown>;
  /** Of a multipart form. */
  files: Map<string, Part>;
  /** A body of plain bytes. */
  bytes: Uint8Array | undefined;
  header(name: string): string | undefined;
  /** As sent: header, query or form. */
  tokenValue: string | undefined;
  /** The caller's token, still valid. Throws GraphRefusal. */
  token(): Token;
  app(): App;
  /** More headers of the answer. */
  headers: Record<string, string>;
}
export interface Operation {
  /** The published `operationId`. */
  id: string;
  method: "GET" | "POST" | "DELETE";
  /** Below the version, e.g. `/:phoneNumberId{\\d+}/messages`; with `isBare`, from the root. */
  path: string;
  isBare?: true;
  /** Returns the answer's body; a Response is passed on as it is. Throws GraphRefusal. */
  run(asked: Asked): unknown;
}
export interface GraphParts {
  core: Core;
  operations: readonly Operation[];
  /** Edges of nodes that Graph has and the emulator refuses by name. */
  unserved?: readonly string[];
  /** Graph's words for a code that a fault plans. */
  refusalFor(code: number, subcode: number | undefined): GraphRefusal;
  /** Other headers that carry the token. */
  tokenHeader?: string;
  /** Largest body, bytes. */
  maxBody?: number;
}

const VERSION = "/:version{v\\d+\\.\\d+}";
const MAX_BODY = 110 * 1024 * 1024;

/** Serves the operations as Graph does: its errors, headers and faults; every call is in the journal. */
export function graphSite(parts: GraphParts): Hono<Env> {
  const site = new Hono<Env>();
  for (const operation of parts.operations) {
    const path = operation.isBare ? operation.path : `${VERSION}${operation.path}`;
    site.on(operation.method, path, (c) => answer(c, parts, operation));
  }
  site.get(MEDIA_PATH, (c) => bytes(c, parts));
  const refuses = (path: string, id: string, words: (path: string) => GraphRefusal) =>
    site.all(path, (c) => answer(c, parts, { id, path, run: () => raise(words(c.req.path)) }));
  for (const edge of parts.unserved ?? []) refuses(`${VERSION}/:node/${edge}`, edge, () => unserved(edge));
  for (const root of ["/", VERSION]) refuses(root, "batch", () => unserved("batch"));
  // Not `notFound`: the surrounding site would answer.
  refuses("*", "unknown", unknownPath);
  site.onError((error, c) => refused(c, parts, error));
  return site;
}

type Answered = Pick<Operation, "id" | "path" | "run">;

async function answer(c: Context<Env>, parts: GraphParts, operation: Answered): Promise<Response> {
  const { core } = parts;
  const fault = core.faults.next(operation.id);
  const headers: Record<string, string> = {};
  let asked: Asked | undefined;
  const answered = await withFault(c, parts, fault, async () => {
    asked = await read(c, parts, headers);
    countCall(core, asked);
    if (fault?.code !== undefined) throw parts.refusalFor(fault.code, fault.subcode);
    const result = await operation.run(asked);
    if (result instanceof Response) return result;
    return c.json(result as object, 200, usageHeaders(core, asked));
  });
  const version = { "facebook-api-version": c.req.param("version") ?? "v26.0" };
  for (const [name, value] of Object.entries({ ...version, ...headers })) answered.headers.set(name, value);
  // Reading a dripping body would delay it.
  await note(c, core, operation, asked, fault?.body === undefined ? answered : new Response(null, answered));
  return answered;
}

async function withFault(
  c: Context<Env>,
  parts: GraphParts,
  fault: MetaFault | undefined,
  run: () => Promise<Response>,
): Promise<Response> {
  const carryOut = () => run().catch((error: unknown) => refused(c, parts, error));
  const { code: _, subcode: __, operation: ___, ...plain } = fault ?? { operation: "" };
  return answerWithFault(plain, {
    carryOut,
    cut: () => void c.env?.incoming?.socket.destroy(),
    gone: c.req.raw.signal,
    refusal(status, words) {
      const known = refusalOf(status);
      const said = words === undefined ? known : new GraphRefusal(status, { ...known.body, message: words });
      return errorText(said, parts.core.random);
    },
  });
}

function refused(c: Context<Env>, { core }: GraphParts, error: unknown): Response {
  if (!(error instanceof GraphRefusal))
    process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : error}\n`);
  const refusal = error instanceof GraphRefusal ? error : unknownFailure();
  return c.body(errorText(refusal, core.random), refusal.status as 400, {
    "content-type": "application/json; charset=UTF-8",
    "www-authenticate": challengeOf(refusal.body),
    "cache-control": "no-store",
  });
}

async function read(c: Context<Env>, parts: GraphParts, headers: Record<string, string>): Promise<Asked> {
  const { core } = parts;
  const query = c.req.query();
  const { body, files, bytes } = await bodyOf(c, parts.maxBody ?? MAX_BODY);
  const bearer = /^(?:Bearer|OAuth) (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const own = parts.tokenHeader ? c.req.header(parts.tokenHeader) : undefined;
  const given = bearer ?? own ?? query.access_token ?? body.access_token;
  const tokenValue = given === undefined ? undefined : String(given);
  const { access_token: _, ...fields } = body;
  const token = () => core.tokens.check(tokenValue);
  const app = () => core.apps.find(token().app) ?? raise(badToken());
  const path = c.req.param() as Record<string, string>;
  const header = (name: string) => c.req.header(name);
  return { path, query, body: fields, files, bytes, header, tokenValue, token, app, headers };
}

const raise = (error: Error): never => {
  throw error;
};

async function bodyOf(c: Context<Env>, max: number): Promise<Pick<Asked, "body" | "files" | "bytes">> {
  const files = new Map<string, Part>();
  const bytes = undefined;
  if (c.req.method === "GET") return { body: {}, files, bytes };
  const raw = Buffer.from(await c.req.arrayBuffer());
  if (raw.byteLength > max) throw refusal(100, "Request entity too large", { status: 413 });
  const type = c.req.header("content-type") ?? "";
  if (/^application\/json/i.test(type)) return { body: objectOf(raw), files, bytes };
  if (/^application\/octet-stream/i.test(type)) return { body: {}, files, bytes: Uint8Array.from(raw) };
  if (!/^multipart\/form-data/i.test(type))
    return { body: Object.fromEntries(new URLSearchParams(raw.toString("utf8"))), files, bytes };
  // A form's fields may as well stand in the query.
  const { access_token: _, ...body }: Record<string, unknown> = c.req.query();
  for (const part of readMultipart(raw, type)) {
    if (part.fileName === undefined) body[part.name] = Buffer.from(part.bytes).toString("utf8");
    else files.set(part.name, part);
  }
  return { body, files, bytes };
}

function objectOf(raw: Buffer): Record<string, unknown> {
  if (raw.length === 0) return {};
  try {
    const parsed: unknown = JSON.parse(raw.toString("utf8"));
    if (isObject(parsed)) return parsed;
  } catch {
    // Refused below, like any other value.
  }
  throw refusal(100, "The parameter messaging_product is required.");
}

const HOUR_MS = 3_600_000;
/** For the app's usage header where there is no limit: 200 for each user, as if the app had 100. */
const CALLS_AN_HOUR = 20_000;
const usageKey = (token: string) => `usage:${token}`;

/** Throws GraphRefusal beyond the app's limit. */
function countCall({ rates, switches }: Core, { tokenValue }: Asked): void {
  const { callsPerHour } = switches.values();
  if (tokenValue === undefined) return;
  const isWithin = rates.take(usageKey(tokenValue), callsPerHour || Number.POSITIVE_INFINITY, HOUR_MS);
  if (!isWithin) throw appLimit();
}

function usageHeaders({ rates, switches }: Core, { tokenValue }: Asked): Record<string, string> {
  if (tokenValue === undefined) return {};
  const max = switches.values().callsPerHour || CALLS_AN_HOUR;
  const call_count = rates.used(usageKey(tokenValue), max, HOUR_MS);
  return { "x-app-usage": JSON.stringify({ call_count, total_cputime: 0, total_time: 0 }) };
}

/** A file's bytes by an address that lives for minutes. */
function bytes(c: Context<Env>, parts: GraphParts): Promise<Response> {
  const { core } = parts;
  return withFault(c, parts, core.faults.next(FILE), async () => {
    const found = core.media.opened(c.req.query("mid") ?? "", c.req.query("hash") ?? "");
    if (!found) return c.text("Not Found", 404);
    const bearer = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    const token = bearer ?? (parts.tokenHeader ? c.req.header(parts.tokenHeader) : undefined);
    if (found.guarded) {
      const { nodes } = core.tokens.check(token);
      if (!nodes.has(found.medium.owner)) return c.text("Not Found", 404);
    }
    return c.body(Uint8Array.from(found.medium.bytes), 200, {
      "content-type": found.medium.mediaType,
      "content-length": String(found.medium.size),
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(found.medium.name)}`,
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
  });
}

/** Where an object is meant, Graph also takes its JSON text. */
export function jsonOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

async function note(
  c: Context,
  core: Core,
  { id }: Answered,
  asked: Asked | undefined,
  answered: Response,
): Promise<void> {
  const isJson = /json/.test(answered.headers.get("content-type") ?? "");
  const answer = isJson
    ? jsonOf(
        await answered
          .clone()
          .text()
          .catch(() => ""),
      )
    : undefined;
  const files = Object.fromEntries([...(asked?.files.keys() ?? [])].map((name) => [name, "<bytes>"]));
  core.journal.add({
    at: core.clock.now(),
    kind: "call",
    operation: id,
    method: c.req.method,
    path: c.req.path,
    query: withoutSecrets(c.req.query()),
    status: answered.status,
    request: asked && c.req.method !== "GET" ? { ...withoutSecrets(asked.body), ...files } : undefined,
    answer: isObject(answer) ? withoutSecrets(answer) : answer,
    headers: { ...(c.req.header("content-type") && { "content-type": c.req.header("content-type") as string }) },
  });
}
