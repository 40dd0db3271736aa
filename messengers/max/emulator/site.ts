import type { HttpBindings } from "@hono/node-server";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { paintPng } from "gangway-messenger/kit/emulator/picture";
import { type Context, Hono } from "hono";
import { FILE, type MaxFault } from "./faults.ts";
import { allOperations, type Operation, takeUpload } from "./operations.ts";
import type { Platform } from "./platform.ts";
import { badPayload, badToken, MaxRefusal, notAllowed, notFound, refusalOf, tooMany } from "./refusal.ts";
import { written } from "./views.ts";
import type { Bot } from "./world.ts";

type Env = { Bindings: Partial<HttpBindings> };

/** Calls a second of one bot. */
const PER_SECOND = 30;
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** Serves the API as MAX does: its refusals, limits and faults; every call is in the journal. */
export function apiSite(platform: Platform): Hono<Env> {
  const site = new Hono<Env>();
  const operations = allOperations(platform);
  for (const operation of operations) site.on(operation.method, operation.path, (c) => answer(c, platform, operation));
  site.post("/upload/:address", (c) => uploaded(c, platform));
  site.get("/files/:id", (c) => fileBytes(c, platform));
  site.get("/avatars/:id", (c) => avatar(c, platform));
  const paths = [...new Set(operations.map(({ path }) => path))];
  for (const path of paths) site.all(path, () => refused(notAllowed("Method not allowed")));
  // Not `notFound`: the surrounding site would answer.
  site.all("*", () => refused(notFound("method")));
  return site;
}

export const operationIds = (platform: Platform): string[] => [
  ...new Set([...allOperations(platform).map(({ id }) => id), "upload"]),
];

const refused = ({ status, code, message }: MaxRefusal): Response =>
  new Response(JSON.stringify({ code, message }), { status, headers: JSON_TYPE });

async function answer(c: Context<Env>, platform: Platform, operation: Operation): Promise<Response> {
  const fault = platform.faults.next(operation.id);
  let request: unknown;
  const answered = await withFault(c, fault, async () => {
    request = await bodyOf(c);
    if (fault?.code !== undefined) throw new MaxRefusal(fault.status ?? 400, fault.code, fault.description);
    const bot = botOf(c, platform);
    const { paced } = platform.switches();
    if (paced && !platform.rates.take(`bot ${bot.id}`, PER_SECOND)) throw tooMany();
    const asked = { bot, path: c.req.param(), query: c.req.query(), body: request, gone: c.req.raw.signal };
    return new Response(written(await operation.run(asked)), { headers: JSON_TYPE });
  });
  // Reading a dripping body would delay it.
  await note(c, platform, operation.id, request, fault?.body === undefined ? answered : new Response(null, answered));
  return answered;
}

/** The token is the whole header: neither Bearer nor a query parameter. */
function botOf(c: Context, { world }: Platform): Bot {
  const bot = world.bots.find(({ token }) => token === c.req.header("authorization"));
  if (!bot) throw badToken();
  return bot;
}

async function bodyOf(c: Context): Promise<unknown> {
  const text = await c.req.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // (u): the words.
    throw badPayload("Invalid request. Malformed JSON");
  }
}

function withFault(c: Context<Env>, fault: MaxFault | undefined, run: () => Promise<Response>): Promise<Response> {
  const carryOut = () =>
    run().catch((error: unknown) => {
      if (error instanceof MaxRefusal) return refused(error);
      process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : error}\n`);
      return refused(refusalOf(500));
    });
  const { operation: _, code, ...plain } = fault ?? { operation: "" };
  // A planned code is the answer itself.
  const { status: __, description: ___, ...rest } = plain;
  return answerWithFault(code === undefined ? plain : rest, {
    carryOut,
    cut: () => void c.env?.incoming?.socket.destroy(),
    gone: c.req.raw.signal,
    refusal(status, words) {
      const known = refusalOf(status);
      return JSON.stringify({ code: known.code, message: words ?? known.message });
    },
  });
}

async function uploaded(c: Context<Env>, platform: Platform): Promise<Response> {
  const fault = platform.faults.next("upload");
  let request: unknown;
  const answered = await withFault(c, fault, async () => {
    const body = Buffer.from(await c.req.arrayBuffer());
    if (body.includes('name="data"')) request = { data: "the bytes" };
    return takeUpload(platform, c.req.param("address") ?? "", c.req.header("content-type") ?? "", body);
  });
  await note(c, platform, "upload", request, fault?.body === undefined ? answered : new Response(null, answered));
  return answered;
}

/** Files are open to whoever has their address. */
async function fileBytes(c: Context<Env>, platform: Platform): Promise<Response> {
  const id = c.req.param("id") ?? "";
  return withFault(c, platform.faults.next(FILE), async () => {
    const medium = platform.media.get(id);
    if (!medium) return new Response("", { status: 404 });
    const bytes = new Uint8Array(platform.bytes.get(id));
    return new Response(bytes, { headers: { "content-type": medium.mediaType } });
  });
}

function avatar(c: Context, { world }: Platform): Response {
  const person = world.people.find(({ id }) => String(id) === c.req.param("id"));
  if (!person) return new Response("", { status: 404 });
  const bytes = Uint8Array.from(paintPng(48, 48, [60 * person.n, 120, 200]));
  return new Response(bytes, { headers: { "content-type": "image/png" } });
}

async function note(
  c: Context,
  { journal, clock }: Platform,
  operation: string,
  request: unknown,
  answered: Response,
): Promise<void> {
  const text = answered.body ? await answered.clone().text() : "";
  const contentType = c.req.header("content-type");
  journal.add({
    ...{ at: clock.now(), kind: "call", operation, method: c.req.method, path: c.req.path, query: c.req.query() },
    status: answered.status,
    request: withoutSecret(request),
    answer: parsed(text),
    headers: contentType ? { "content-type": contentType } : {},
  });
}

const withoutSecret = (request: unknown): unknown =>
  typeof request === "object" && request !== null && "secret" in request
    ? { ...request, secret: "not-shown" }
    : request;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
