import type { HttpBindings } from "@hono/node-server";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { readMultipart } from "gangway-messenger/kit/emulator/multipart";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { type Context, Hono } from "hono";
import { type AvitoFault, FILE } from "./faults.ts";
import type { Asked, Operation, Platform } from "./platform.ts";
import { invalid, Refusal, refusal } from "./refusal.ts";

type Env = { Bindings: Partial<HttpBindings> };

const MAX_BODY = 26 * 1024 * 1024;
const MINUTE_MS = 60_000;

/** Serves the operations as Avito does: its errors, headers and faults; every call is in the journal. */
export function apiSite(platform: Platform, operations: Operation[]): Hono<Env> {
  const site = new Hono<Env>();
  const counted = new Map<number, number[]>();
  site.post("/token", (c) => answer(c, platform, "token", () => token(c, platform)));
  for (const { id, method, path, run } of operations)
    site.on(method, path, (c) =>
      answer(c, platform, id, async () => {
        const account = platform.tokens.check(c.req.header("authorization"));
        countCall(c, platform, counted, account.id);
        const asked = {
          account,
          path: c.req.param() as Record<string, string>,
          query: c.req.query(),
          ...(await bodyOf(c)),
        };
        if (path.startsWith("/messenger/")) checkAccess(asked);
        return { request: requestIn(asked), answered: await run(asked) };
      }),
    );
  for (const root of ["/core/*", "/messenger/*"])
    site.all(root, (c) => answer(c, platform, "unknown", async () => raise(refusal(404))));
  fileRoutes(site, platform);
  return site;
}

const raise = (error: Error): never => {
  throw error;
};

/** The plan, and whose account it is. */
function checkAccess({ account, path }: Asked): void {
  if (!account.hasPlan) throw refusal(402);
  if (path.userId !== undefined && Number(path.userId) !== account.id) throw refusal(403);
}

function countCall(c: Context, { clock, switches }: Platform, counted: Map<number, number[]>, account: number): void {
  const { callsPerMinute } = switches.values();
  if (callsPerMinute === 0) return;
  const times = (counted.get(account) ?? []).filter((at) => at > clock.now() - MINUTE_MS);
  const isOver = times.length >= callsPerMinute;
  if (!isOver) times.push(clock.now());
  counted.set(account, times);
  c.header("x-ratelimit-limit", String(callsPerMinute));
  c.header("x-ratelimit-remaining", String(callsPerMinute - times.length));
  if (isOver) throw refusal(429);
}

interface Outcome {
  request: unknown;
  answered: unknown;
}

function answer(c: Context<Env>, platform: Platform, id: string, run: () => Promise<Outcome>): Promise<Response> {
  return withFault(c, platform.faults.next(id), async () => {
    const outcome = await run().catch((error: unknown) => ({ request: undefined, answered: error }));
    const { request, answered } = outcome;
    const [status, body] = answered instanceof Refusal ? [answered.status, answered.body] : [200, answered];
    if (answered instanceof Error && !(answered instanceof Refusal)) throw answered;
    platform.journal.add({
      ...{ at: platform.clock.now(), kind: "call", operation: id, method: c.req.method, path: c.req.path },
      ...{ query: c.req.query(), status, request, answer: withoutToken(body) },
      headers: { ...(c.req.header("content-type") && { "content-type": c.req.header("content-type") as string }) },
    });
    return c.json(body as object, status as 200);
  });
}

const withoutToken = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "access_token" in body ? { ...body, access_token: "***" } : body;

const requestIn = ({ body, parts }: Asked): unknown =>
  parts.length > 0 ? Object.fromEntries(parts.map(({ name }) => [name, "<bytes>"])) : body;

function withFault(
  c: Context<Env>,
  plan: AvitoFault | undefined,
  carryOut: () => Promise<Response>,
): Promise<Response> {
  if (!plan) return carryOut();
  const { operation: _, ...fault } = plan;
  return answerWithFault(fault, {
    carryOut,
    cut: () => void c.env?.incoming?.socket.destroy(),
    gone: c.req.raw.signal,
    refusal: (status, words) => JSON.stringify(refusal(status, words).body),
  });
}

async function token(c: Context, { tokens }: Platform): Promise<Outcome> {
  if (!/^application\/x-www-form-urlencoded/i.test(c.req.header("content-type") ?? ""))
    throw invalid("A form is expected");
  const form = Object.fromEntries(new URLSearchParams(await c.req.text()));
  return { request: { ...form, client_secret: "***" }, answered: tokens.grant(form) };
}

async function bodyOf(c: Context): Promise<Pick<Asked, "body" | "parts">> {
  if (c.req.method === "GET") return { body: undefined, parts: [] };
  const raw = Buffer.from(await c.req.arrayBuffer());
  if (raw.byteLength > MAX_BODY) throw refusal(413, "Request entity too large");
  const type = c.req.header("content-type") ?? "";
  if (/^multipart\/form-data/i.test(type)) return { body: undefined, parts: readMultipart(raw, type) };
  if (raw.byteLength === 0) return { body: undefined, parts: [] };
  if (!/^application\/json/i.test(type)) throw invalid("JSON is expected");
  try {
    return { body: JSON.parse(raw.toString("utf8")), parts: [] };
  } catch {
    throw invalid("JSON is expected");
  }
}

/** Pictures and voice messages, at addresses without a token. */
function fileRoutes(site: Hono<Env>, { world, faults, clock }: Platform): void {
  const bytes = (c: Context<Env>, id: string, mediaType: string): Promise<Response> =>
    withFault(c, faults.next(FILE), async () =>
      c.body(Uint8Array.from(world.bytes.get(id)), 200, {
        "content-type": mediaType,
        "content-security-policy": "sandbox",
      }),
    );
  site.get("/img/:size/:name", (c) => {
    const picture = world.pictures.get(c.req.param("name").replace(/\.jpg$/, ""));
    return picture ? bytes(c, picture.id, picture.mediaType) : new Response("Not Found", { status: 404 });
  });
  site.get("/voices/:name", (c) => {
    const id = c.req.param("name").replace(/\.mp4$/, "");
    const isLive = world.voices.has(id) && clock.now() < Number(c.req.query("until"));
    return isLive ? bytes(c, id, "video/mp4") : new Response("Forbidden", { status: 403 });
  });
  site.get("/faces/:name", (c) =>
    c.body(Uint8Array.from(paintPng(64, 64, [90, 120, 160])), 200, { "content-type": "image/png" }),
  );
}
