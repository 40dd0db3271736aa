import type { HttpBindings } from "@hono/node-server";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { type FaultPlan, type Faults, replacesAnswer, takesEffect } from "gangway-messenger/kit/emulator/faults";
import {
  abandoned,
  originalOf,
  replaceAnswer,
  toResponse,
  type Wire,
} from "gangway-messenger/kit/emulator/faulty-answer";
import { shapeFaults } from "gangway-messenger/kit/emulator/shape";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import type { z } from "zod";
import { type CallLog, SNIPPET } from "./calls.ts";
import type { Side } from "./documents.ts";
import { decode, type Judge, type Operation } from "./judge.ts";
import { MAX_DEPTH, withoutNulls } from "./normalize.ts";
import { Refusal, type RefusalStatus } from "./refusal.ts";
import type { Unknowns } from "./unknowns.ts";
import type { Module } from "./world.ts";

export type Env = {
  Bindings: Partial<HttpBindings>;
  /**
   * `user`: the agent who calls the CRM's API from the inbox, by the CRM's id. `faults`: what is wrong of the call, for the
   * log; a route that takes the rest adds to it.
   */
  Variables: { body: unknown; faults: string[]; rule?: string; module: Module; formKey?: string; user?: number };
};
/** The module whose token the call carries. */
export const moduleOf = (c: Context<Env>): Module => c.get("module");

/** Shared by every API of the sandbox. */
export interface Bench {
  judge: Judge;
  calls: CallLog;
  faults: Faults;
  clock: Clock;
  /** Read on every use: settings change at runtime. */
  unknowns(): Unknowns;
}
export interface ApiParts extends Bench {
  side: Side;
  /** The operation's path in the published contract. */
  path(c: Context<Env>): string;
  readBody(c: Context<Env>): Promise<{ body: unknown; text: string }>;
  /** Builds the API's own error body. `more` are further fields, where the API has them. */
  refuse(c: Context<Env>, status: RefusalStatus | 500, message: string, more?: object): Response;
  /** Checks the caller first. Throws Refusal, e.g. for too many requests. */
  admit(c: Context<Env>): void;
  /** Message for a path that the contract lacks. */
  unknownPath(c: Context<Env>): string;
}

const SOCKET = "webSocketConnection";
/** The largest file plus its form, bytes. */
export const MAX_BODY = 21 * 1024 * 1024;

/** Wraps every API call: injects faults, judges request and answer, writes the call log. */
export function exchange(parts: ApiParts) {
  return createMiddleware<Env>(async (c, next) => {
    const call = await received(parts, c);
    const { operation, plan } = call;
    if (plan) await misbehave(c, plan);
    const answer = plan && !takesEffect(plan) ? notCarriedOut(c) : await carriedOut(parts, c, call, next);
    const wire = plan && replacesAnswer(plan) ? await replaced(parts, c, plan, answer) : undefined;
    const answerText = wire ? shown(wire) : await answer.clone().text();
    // The answer's body stays empty; the server upgrades the connection.
    const upgraded = operation?.id === SOCKET && answer.ok;
    record(parts, c, call, { status: upgraded ? 101 : (wire ?? answer).status, text: answerText, real: !wire });
    if (plan?.drop === "after") c.env?.incoming?.socket.destroy();
    if (plan?.hang) await abandoned(c.req.raw.signal);
    c.res = wire ? toResponse(wire) : answer;
  });
}

interface Received {
  began: number;
  path: string;
  /** Undefined: the contract has no such operation. */
  operation?: Operation;
  plan?: FaultPlan;
  /** Larger than any request may be; its body is left unread. */
  large: boolean;
  /** Nested deeper than any request may be. */
  deep: boolean;
  body: unknown;
  text: string;
  /** What the judge found; grows. */
  found: string[];
}

async function received(parts: ApiParts, c: Context<Env>): Promise<Received> {
  const began = parts.clock.now();
  const path = parts.path(c);
  const operation = parts.judge.operation(parts.side, c.req.method, path);
  const large = Number(c.req.header("content-length") ?? 0) > MAX_BODY;
  const { body, text, deep } = large ? TOO_LARGE : await readable(parts, c);
  const plan = operation && parts.faults.next(`${parts.side === "bot" ? "bot:" : ""}${operation.id}`);
  const found = operation ? [] : ["the contract has no such operation"];
  return { began, path, operation, plan, large, deep, body, text, found };
}

const TOO_LARGE = { body: undefined, text: "(too large)", deep: false };

/** A deeply nested body would overflow the stack of whoever walks or logs it. */
async function readable(parts: ApiParts, c: Context<Env>): Promise<Pick<Received, "body" | "text" | "deep">> {
  const { body, text } = await parts.readBody(c);
  return isTooDeep(body) ? { body: undefined, text: "(too deep)", deep: true } : { body, text, deep: false };
}

/** The route's answer, or the refusal of a request outside the contract. */
async function carriedOut(parts: ApiParts, c: Context<Env>, call: Received, next: () => Promise<void>) {
  try {
    admit(parts, c, call);
  } catch (error) {
    return refused(parts, c, error);
  }
  await next();
  if (!c.error) return c.res;
  if (!(c.error instanceof Refusal || c.req.raw.signal.aborted))
    call.found.push(`sandbox: ${c.error.stack ?? c.error.message}`);
  return refused(parts, c, c.error);
}

/** Judges the request and sets the body for the route. Throws Refusal. */
function admit(parts: ApiParts, c: Context<Env>, { operation, path, large, deep, body, text, found }: Received): void {
  if (large) throw new Refusal(413, "Request is too large", "a request has at most 21 MiB");
  parts.admit(c);
  if (!operation) throw new Refusal(404, parts.unknownPath(c), "path");
  if (deep) throw new Refusal(400, "Request is nested too deeply", "a request has at most 64 levels");
  if (body === undefined && text !== "") throw new Refusal(400, "(body) is not JSON", "contract");
  // Judge the trimmed strings: the server stores those. Escaping comes after.
  const { normalize } = parts.unknowns();
  const kept = parts.judge.normalize(operation, body, normalize === "none" ? "none" : "trim");
  found.push(...judged(parts, operation, c, path, kept));
  if (found.length > 0) throw new Refusal(400, found[0] ?? "", "contract");
  c.set("body", parts.judge.normalize(operation, kept, normalize));
  c.set("faults", found);
}

interface Answered {
  status: number;
  text: string;
  /** The route's own answer; a planned one is not judged. */
  real: boolean;
}

function record(parts: ApiParts, c: Context<Env>, call: Received, { status, text, real }: Answered): void {
  const { began, operation, plan, found } = call;
  const answer = parse(text);
  const silent = plan?.drop !== undefined || plan?.hang === true;
  if (operation && real && !silent)
    found.push(...parts.judge.answer(operation, status, text === "" ? {} : answer).map((f) => `answer: ${f}`));
  parts.calls.add(
    {
      at: began,
      side: parts.side,
      operation: operation?.id ?? "(unknown)",
      method: c.req.method,
      path: c.req.path,
      query: c.req.queries(),
      status: silent ? 0 : status,
      ms: parts.clock.now() - began,
      faults: found,
      rule: c.get("rule"),
      request: call.body,
      answer,
    },
    { request: call.text, answer: silent ? "(no answer)" : text },
  );
}

function isTooDeep(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
  }
  return false;
}

function judged({ judge }: ApiParts, operation: Operation, c: Context<Env>, path: string, body: unknown): string[] {
  const query = new URL(c.req.url).searchParams;
  return [...judge.path(operation, path), ...judge.query(operation, query), ...judge.request(operation, body)];
}

/** Any other error is a bug of the sandbox; the call log shows it as a fault. */
function refused(parts: ApiParts, c: Context<Env>, error: unknown): Response {
  const { rule, status, message, more } =
    error instanceof Refusal
      ? error
      : { rule: "a defect of the sandbox", status: 500 as const, message: "Internal error", more: {} };
  c.set("rule", rule);
  return parts.refuse(c, status, message, more);
}

/** Leaves a route's error to `exchange`. */
export const leaveToExchange = (_error: Error, c: Context<Env>): Response => c.body(null, 500);

async function misbehave(c: Context<Env>, plan: FaultPlan): Promise<void> {
  if (plan.delayMs) await new Promise((resolve) => setTimeout(resolve, plan.delayMs));
  if (plan.drop === "before") c.env?.incoming?.socket.destroy();
}

function notCarriedOut(c: Context<Env>): Response {
  c.set("rule", "planned fault");
  return c.body(null, 502);
}

async function replaced({ refuse }: ApiParts, c: Context<Env>, plan: FaultPlan, answer: Response): Promise<Wire> {
  c.set("rule", "planned fault");
  return replaceAnswer(plan, {
    ...(takesEffect(plan) && { real: await originalOf(answer) }),
    // The status does not matter: only the body is used.
    refusal: (_, words = "Planned fault") => refuse(c, 500, words).text(),
  });
}

/** Truncated for the log. */
const shown = ({ bytes }: Wire) => Buffer.from(bytes.subarray(0, SNIPPET)).toString("utf8");

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON body; raw bytes are left to the operation. */
export async function readJson(c: Context<Env>): Promise<{ body: unknown; text: string }> {
  if (c.req.method === "GET") return { body: undefined, text: "" };
  if (c.req.path.endsWith("/files/upload")) return { body: "", text: "(bytes)" };
  const text = await c.req.raw.clone().text();
  return { body: parse(text), text };
}

/** The judged and normalized body. */
export const bodyOf = <T>(c: Context<Env>): T => c.get("body") as T;

/** A body outside the published contract. Throws a Refusal that names each fault. */
export async function bodyAs<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(withoutNulls(await c.req.json().catch(() => undefined)));
  if (!parsed.success) throw new Refusal(400, shapeFaults(parsed.error), "the body has these fields");
  return parsed.data;
}

/** The path's last segment, cut from the raw path since it may hold an encoded `#`. */
export const lastInPath = (c: Context<Env>): string => decode(new URL(c.req.url).pathname.split("/").at(-1) ?? "");
