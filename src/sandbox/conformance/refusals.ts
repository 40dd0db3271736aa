import { readFileSync } from "node:fs";
import type { Exchange } from "../calls.ts";
import { createJudge, type Json } from "../judge.ts";
import { bentBodies } from "./bent.ts";
import type { Stage } from "./stage.ts";

/** A bent request that was not refused as it should have been. */
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
type ApiSide = "gateway" | "bot";
const BASES: Record<ApiSide, string> = { gateway: "/api/transport/v1", bot: "/api/bot/v1" };
const HEADERS: Record<ApiSide, string> = { gateway: "x-transport-token", bot: "x-bot-token" };
const DOCUMENTS = { gateway: "transport-api", bot: "bot-api" };
/** Bytes, and the socket, have no JSON body to bend. */
const BYTES = ["uploadFile", "webSocketConnection"];

/** Bends the latest accepted request of each operation in every way the contract forbids; each must be refused and change nothing. */
export async function driveRefusals(stage: Stage): Promise<{ sent: number; leaks: Leak[] }> {
  const judge = createJudge();
  const leaks: Leak[] = [];
  let sent = 0;
  for (const sample of samplesIn(stage.seen)) {
    const side = sample.side as ApiSide;
    const path = sample.path.slice(BASES[side].length);
    const operation = judge.operation(side, sample.method, path);
    if (!operation) continue;
    const bodies = bentBodies(operation.schema, sample.request, (ref) => resolve(side, ref))
      .filter(({ body }) => judge.request(operation, body).length > 0)
      .map(({ how, body }) => ({ how, path, method: sample.method, body: JSON.stringify(body) }));
    const requests = BYTES.includes(operation.id) ? [] : bodies;
    for (const request of [...requests, ...aroundBody(sample, path, operation.query)]) {
      const before = stage.running.sandbox.world.version;
      const { status, errors } = await send(stage, side, request);
      sent += 1;
      const refused = status >= 400 && status < 500 && Array.isArray(errors) && errors.length > 0;
      if (!refused || stage.running.sandbox.world.version !== before)
        leaks.push({ operation: operation.id, how: request.how, status });
    }
  }
  return { sent, leaks };
}

function samplesIn(seen: Exchange[]): Exchange[] {
  const latest = new Map<string, Exchange>();
  for (const exchange of seen) {
    const { side, operation, faults, status } = exchange;
    if ((side === "gateway" || side === "bot") && faults.length === 0 && status < 300 && status > 0)
      latest.set(`${side} ${operation}`, exchange);
  }
  return [...latest.values()];
}

/** Token, path, query and the body's form bent. */
function aroundBody(
  { method, request }: Exchange,
  path: string,
  query: { name: string; required: boolean }[],
): Request[] {
  const body = request === undefined ? undefined : JSON.stringify(request);
  const bent: Request[] = [
    { how: "no token", method, path, body, token: "" },
    { how: "a wrong token", method, path, body, token: "wrong" },
  ];
  if (body !== undefined && body !== '""') bent.push({ how: "broken JSON", method, path, body: body.slice(0, -1) });
  for (const { name, required } of query) {
    if (!FREE.includes(name)) bent.push({ how: `?${name} is bent`, method, path: `${path}?${name}=-1x` });
    if (required) bent.push({ how: `?${name} is missing`, method, path });
  }
  const [, number] = /\/(\d+)(?=\/|$)/.exec(path) ?? [];
  if (number) bent.push({ how: "the path's number is a word", method, path: path.replace(number, "word"), body });
  return bent;
}
/** Text that may be anything. */
const FREE = ["customer_external_id", "external_id", "options", "name"];

async function send(stage: Stage, side: ApiSide, { path, method, body, token }: Request) {
  const known = side === "bot" ? stage.tokens.bot : stage.tokens.transport;
  await stage.control("GET", "/settings");
  const answer = await fetch(`${stage.running.origin}${BASES[side]}${path}`, {
    method,
    headers: { "content-type": "application/json", [HEADERS[side]]: token ?? known },
    body: method === "GET" ? undefined : body,
  });
  const parsed = (await answer.json().catch(() => ({}))) as { errors?: unknown };
  return { status: answer.status, errors: parsed.errors };
}

function resolve(side: ApiSide, ref: string): Json {
  const url = new URL(`../contract/${DOCUMENTS[side]}.openapi.json`, import.meta.url);
  const path = ref.slice(ref.indexOf("#/") + 2).split("/");
  return path.reduce<Json>((at, key) => (at[key] ?? {}) as Json, JSON.parse(readFileSync(url, "utf8")));
}
