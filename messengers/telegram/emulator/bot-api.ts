import type { HttpBindings } from "@hono/node-server";
import type { Fault } from "gangway-messenger/kit/emulator/faults";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { type Context, Hono } from "hono";
import { carryOut, checkServed } from "./calling.ts";
import type { Calls } from "./calls.ts";
import { isServed } from "./catalogue.ts";
import { type Faults, FILE, faultOf } from "./faults.ts";
import type { Floods } from "./floods.ts";
import { judge, methodNamed } from "./parameters.ts";
import { BotRefusal, type RefusalParameters, tooMany } from "./refusal.ts";
import { readCall } from "./request.ts";
import { type Bot, botByToken, type World } from "./world.ts";

type Env = { Bindings: Partial<HttpBindings> };

export interface BotApiParts {
  world: World;
  floods: Floods;
  faults: Faults;
  calls: Calls;
  /** Aborted when the emulator stops. */
  ended: AbortSignal;
}

const TOKEN = /^\d{1,16}:[\w-]{30,}$/;

/** `/bot<token>/<method>` and `/file/bot<token>/<path>`; the test environment has `/test` after the token. */
export function botApi(parts: BotApiParts): Hono<Env> {
  const api = new Hono<Env>();
  api.onError((error, c) => answerError(c, error));
  for (const environment of ["", "/test"]) {
    const isTest = environment !== "";
    api.on(["GET", "POST"], `/:bot{bot[^/]+}${environment}/:method`, async (c) => {
      const bot = caller(parts.world, c.req.param("bot"), isTest);
      const method = methodNamed(c.req.param("method"));
      if (!method) throw new BotRefusal(404, "Not Found: method not found");
      return answerCall(c, parts, bot, method);
    });
  }
  api.get("/file/:bot{bot[^/]+}/:path{.+}", async (c) => {
    const path = c.req.param("path");
    const isTest = path.startsWith("test/");
    const bot = caller(parts.world, c.req.param("bot"), isTest);
    const plan = parts.faults.next({ method: FILE, bot: bot.id });
    return misbehaving(c, parts, plan ? faultOf(plan) : {}, async () => {
      const file = parts.world.files.opened(isTest ? path.slice("test/".length) : path);
      if (!file) return answerError(c, new BotRefusal(404, "Not Found"));
      return c.body(Uint8Array.from(file.bytes), 200, { "content-type": "application/octet-stream" });
    });
  });
  return api;
}

/** A test bot exists only in the test environment, other bots only outside. */
function caller(world: World, named: string, isTest: boolean): Bot {
  const token = decodeURIComponent(named.slice("bot".length));
  if (!TOKEN.test(token)) throw new BotRefusal(404, "Not Found");
  const bot = botByToken(world, token);
  if (bot?.isTest !== isTest) throw new BotRefusal(401, "Unauthorized");
  return bot;
}

async function answerCall(c: Context<Env>, parts: BotApiParts, bot: Bot, method: string): Promise<Response> {
  const at = parts.world.clock.now();
  const plan = parts.faults.next({ method, bot: bot.id });
  const { flood, ...fault } = plan ? faultOf(plan) : {};
  let faults: string[] = [];
  let chat: string | undefined;
  const answer = await caught(c, async () => {
    const raw = await readCall(c);
    const { args, faults: found } = judge(method, raw);
    faults = isServed(method) ? found : [`${method}: the sandbox does not serve it`];
    chat = args.chat_id === undefined ? undefined : String(args.chat_id);
    if (flood)
      parts.floods.hold(flood.scope === "chat" && chat ? `bot:${bot.id}:${chat}` : `bot:${bot.id}`, flood.seconds);
    if (flood) throw tooMany(flood.seconds);
    const signal = AbortSignal.any([parts.ended, c.req.raw.signal]);
    const carried = async () => {
      checkServed(method);
      return c.json({ ok: true, ...(await carryOut({ ...parts, bot, method, args, raw, signal })) });
    };
    return misbehaving(c, parts, fault, () => caught(c, carried));
  });
  parts.calls.add({ method, bot: bot.id, ...(chat !== undefined && { chat }), status: answer.status, faults, at });
  return answer;
}

function answerError(c: Context<Env>, error: unknown): Response {
  const refusal = error instanceof BotRefusal ? error : new BotRefusal(500, "Internal Server Error");
  return refused(refusal.code, refusal.message, refusal.parameters, c);
}

function refused(code: number, description: string, parameters: RefusalParameters | undefined, c: Context<Env>) {
  const wait = parameters?.retry_after;
  if (wait !== undefined) c.header("retry-after", String(wait));
  c.status(code as 400);
  return c.json({ ok: false, error_code: code, description, ...(parameters && { parameters }) });
}

const caught = (c: Context<Env>, answer: () => Promise<Response>): Promise<Response> =>
  answer().catch((error: unknown) => answerError(c, error));

const misbehaving = (
  c: Context<Env>,
  { ended }: BotApiParts,
  fault: Fault,
  carryOut: () => Promise<Response>,
): Promise<Response> =>
  answerWithFault(fault, {
    carryOut,
    cut: () => void c.env.incoming?.socket.destroy(),
    gone: AbortSignal.any([ended, c.req.raw.signal]),
    refusal: refusalText,
  });

function refusalText(status: number, words?: string, wait?: number): string {
  const description = words ?? STATUS_TEXT[status] ?? "Internal Server Error";
  return JSON.stringify({
    ok: false,
    error_code: status,
    description,
    ...(wait !== undefined && { parameters: { retry_after: wait } }),
  });
}

const STATUS_TEXT: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  409: "Conflict",
  429: "Too Many Requests: retry later",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
