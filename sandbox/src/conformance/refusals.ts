import type { Exchange } from "../calls.ts";
import { contractJudge } from "../judge.ts";
import { type Json, loadSpec } from "../spec.ts";
import { mutations } from "./mutations.ts";
import type { Stage } from "./stage.ts";

/** A mutated request that was not refused properly. */
export interface Leak {
  operation: string;
  how: string;
  status: number;
}
interface Request {
  how: string;
  path: string;
  method: string;
  body?: string;
  token?: string;
}
/** Below the limit of 30. */
export const CALLS_A_SECOND = 28;
export type ApiSide = "gateway" | "bot";
export const BASES: Record<ApiSide, string> = { gateway: "/api/transport/v1", bot: "/api/bot/v1" };
const HEADERS: Record<ApiSide, string> = { gateway: "x-transport-token", bot: "x-bot-token" };
const DOCUMENTS = { gateway: "transport-api", bot: "bot-api" };
/** Raw bytes and the socket have no JSON body to mutate. */
export const RAW_BODIES = ["uploadFile", "webSocketConnection"];

/**
 * Mutates an accepted request of each operation and shape in every way the contract forbids; each must be refused and
 * change nothing.
 */
export async function driveRefusals(stage: Stage): Promise<{ sent: number; leaks: Leak[] }> {
  const judge = contractJudge();
  const leaks: Leak[] = [];
  let sent = 0;
  let before = snapshot(stage);
  for (const sample of samplesIn(stage.seen)) {
    const side = sample.side as ApiSide;
    const path = sample.path.slice(BASES[side].length);
    const operation = judge.operation(side, sample.method, path);
    if (!operation) continue;
    const bodies = mutations(operation.schema, sample.request, (ref) => resolve(side, ref))
      .filter(({ body }) => judge.request(operation, body).length > 0)
      .map(({ how, body }) => ({ how, path, method: sample.method, body: JSON.stringify(body) }));
    const requests = RAW_BODIES.includes(operation.id) ? [] : bodies;
    const around = sample.isFirst ? otherMutations(sample, path, operation.query) : [];
    for (const request of [...requests, ...around]) {
      if (sent % CALLS_A_SECOND === 0) await stage.control("POST", "/clock", { jumpMs: 1_001 });
      const { status, errors } = await send(stage, side, request);
      sent += 1;
      const refused = status >= 400 && status < 500 && Array.isArray(errors) && errors.length > 0;
      const after = snapshot(stage);
      if (!refused || after !== before) leaks.push({ operation: operation.id, how: request.how, status });
      before = after;
    }
  }
  return { sent, leaks };
}

type Sample = Exchange & { isFirst: boolean };

/** The latest request of each shape; one per operation also tests token, path and query. */
export function samplesIn(seen: Exchange[]): Sample[] {
  const latest = new Map<string, Exchange>();
  for (const exchange of seen) {
    const { side, operation, faults, status, request } = exchange;
    if ((side === "gateway" || side === "bot") && faults.length === 0 && status < 300 && status > 0)
      latest.set(`${side} ${operation} ${JSON.stringify(shapeOf(request))}`, exchange);
  }
  const met = new Set<string>();
  return [...latest.values()].map((exchange) => {
    const name = `${exchange.side} ${exchange.operation}`;
    const isFirst = !met.has(name);
    met.add(name);
    return { ...exchange, isFirst };
  });
}

/** A body's keys; of a list, its first entry's. */
function shapeOf(body: unknown): unknown {
  if (Array.isArray(body)) return body.slice(0, 1).map(shapeOf);
  if (typeof body !== "object" || body === null) return typeof body;
  return Object.entries(body).map(([key, value]) => [key, shapeOf(value)]);
}

/** A snapshot of all state, except indexes and file bytes. */
function snapshot({ running }: Stage): string {
  return JSON.stringify(running.sandbox.world, (_, value: unknown) => {
    if (value instanceof Map) return [...value];
    return value instanceof Uint8Array ? value.byteLength : value;
  });
}

/** Mutates token, JSON syntax, query and the ids in the path. */
function otherMutations(
  { method, request }: Exchange,
  path: string,
  query: { name: string; required: boolean }[],
): Request[] {
  const body = request === undefined ? undefined : JSON.stringify(request);
  const mutated: Request[] = [
    { how: "no token", method, path, body, token: "" },
    { how: "a wrong token", method, path, body, token: "wrong" },
  ];
  if (body !== undefined && body !== '""') mutated.push({ how: "broken JSON", method, path, body: body.slice(0, -1) });
  for (const { name, required } of query) {
    if (!FREE_TEXT.includes(name)) mutated.push({ how: `?${name} is invalid`, method, path: `${path}?${name}=-1x` });
    if (required) mutated.push({ how: `?${name} is missing`, method, path });
  }
  const [, number] = /\/(\d+)(?=\/|$)/.exec(path) ?? [];
  const [id] = number ? [number] : (/[0-9a-f-]{36}/.exec(path) ?? []);
  // Every number or UUID in a path is an id.
  if (id) mutated.push({ how: "the path's id is unknown", method, path: path.replace(id, unknownId(id)), body });
  if (number) mutated.push({ how: "the path's number is a word", method, path: path.replace(number, "word"), body });
  return mutated;
}
const unknownId = (id: string) => (id.includes("-") ? id.replaceAll(/[0-9a-f]/g, "0") : "1");
/** Free text: no value is invalid. */
const FREE_TEXT = ["customer_external_id", "external_id", "options", "name"];

export async function send(stage: Stage, side: ApiSide, { path, method, body, token }: Request) {
  const known = side === "bot" ? stage.tokens.bot : stage.tokens.transport;
  const answer = await fetch(`${stage.running.origin}${BASES[side]}${path}`, {
    method,
    headers: { "content-type": "application/json", [HEADERS[side]]: token ?? known },
    body: method === "GET" ? undefined : body,
  });
  const parsed = (await answer.json().catch(() => ({}))) as { errors?: unknown };
  return { status: answer.status, errors: parsed.errors };
}

export function resolve(side: ApiSide, ref: string): Json {
  const path = ref.slice(ref.indexOf("#/") + 2).split("/");
  const document = loadSpec<Json>(`${DOCUMENTS[side]}.openapi.json`);
  return path.reduce<Json>((at, key) => (at[key] ?? {}) as Json, document);
}
