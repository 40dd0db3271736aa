import type { HttpBindings } from "@hono/node-server";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { readMultipart } from "gangway-messenger/kit/emulator/multipart";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Core } from "./core.ts";
import type { VkFault } from "./faults.ts";
import type { Method } from "./method.ts";
import { echoOf } from "./methods/sending.ts";
import { common } from "./params.ts";
import { denied, invalid, VkRefusal } from "./refusal.ts";
import type { Chat, Message, Token } from "./world.ts";

type Env = { Bindings: Partial<HttpBindings> };
type Form = Record<string, string>;
interface Call {
  name: string;
  form: Form;
  /** As the method reads them; absent: not read. */
  fields?: Record<string, unknown>;
}

const SECOND_MS = 1_000;

/** `/method/<name>`: every answer is HTTP 200. */
export function apiSite(core: Core, methods: readonly Method[]): Hono<Env> {
  const site = new Hono<Env>();
  const calls = new Map<string, number[]>();
  const byName = new Map(methods.map((each) => [each.name, each]));
  site.on(["GET", "POST"], "/:name", async (c) => {
    const call: Call = { name: c.req.param("name"), form: await formOf(c) };
    const fault = core.faults.next(call.name);
    const carryOut = () => answered(c, call, () => carriedOut(core, byName, calls, call, fault));
    const { code: _, inside: __, operation: ___, ...plain } = fault ?? { operation: "" };
    const answer = await answerWithFault(plain, {
      carryOut,
      cut: () => void c.env?.incoming?.socket.destroy(),
      gone: c.req.raw.signal,
      refusal: () => JSON.stringify(errorOf(new VkRefusal(10), call)),
    });
    await note(c, core, call, plain.body === undefined ? answer : new Response(null, answer));
    return answer;
  });
  return site;
}

async function formOf(c: Context<Env>): Promise<Form> {
  const raw = Buffer.from(await c.req.arrayBuffer());
  const type = c.req.header("content-type") ?? "";
  const bearer = /^Bearer (.+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
  const body = /^multipart\/form-data/i.test(type)
    ? Object.fromEntries(readMultipart(raw, type).map(({ name, bytes }) => [name, Buffer.from(bytes).toString("utf8")]))
    : Object.fromEntries(new URLSearchParams(raw.toString("utf8")));
  return { ...c.req.query(), ...body, ...(bearer && { access_token: bearer }) };
}

async function carriedOut(
  core: Core,
  methods: Map<string, Method>,
  calls: Map<string, number[]>,
  call: Call,
  fault: VkFault | undefined,
): Promise<unknown> {
  const method = methods.get(call.name);
  if (!method) throw new VkRefusal(3);
  if (call.form.v === undefined) throw new VkRefusal(8, "v (version) is required");
  const token = tokenOf(core, call.form.access_token);
  count(core, calls, token);
  if (fault?.code !== undefined && !fault.inside && fault.when !== "after") throw new VkRefusal(fault.code);
  if (method.right && !token.rights.has(method.right)) throw denied();
  const read = z.strictObject({ ...common, ...method.fields }).safeParse(call.form);
  if (!read.success)
    throw invalid(read.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "));
  call.fields = read.data as Record<string, unknown>;
  const { community } = token;
  if (read.data.group_id !== undefined && read.data.group_id !== community.id) throw new VkRefusal(203);
  if (fault?.code !== undefined && fault.inside) return refusedInside(call.fields, fault.code);
  const result = await method.run({ core, fields: read.data as never, token, community });
  if (call.name === "messages.send") await echo(core, result);
  if (fault?.code !== undefined) throw new VkRefusal(fault.code);
  return result;
}

function refusedInside(fields: Record<string, unknown>, code: number): object[] {
  const { message } = new VkRefusal(code);
  const peers = (fields.peer_ids ?? []) as number[];
  return peers.map((peer_id) => ({
    ...{ peer_id, message_id: 0, conversation_message_id: 0, error: { code, description: message } },
  }));
}

function tokenOf({ world }: Core, value: string | undefined): Token {
  if (!value) throw new VkRefusal(5, "no access_token passed");
  const token = world.tokens.find((each) => each.value === value);
  if (!token || token.isEnded) throw new VkRefusal(5);
  return token;
}

/** Throws VkRefusal beyond the calls of a second. */
function count({ clock, switches }: Core, calls: Map<string, number[]>, { value }: Token): void {
  const { callsPerSecond } = switches.values();
  const now = clock.now();
  const recent = (calls.get(value) ?? []).filter((at) => at > now - SECOND_MS);
  if (callsPerSecond > 0 && recent.length >= callsPerSecond) throw new VkRefusal(6);
  calls.set(value, [...recent, now]);
}

/** What was sent comes back as an event, once for a message. */
const echoed = new WeakSet<Message>();

async function echo(core: Core, result: unknown): Promise<void> {
  const { echoAfterMs } = core.switches.values();
  const ids = Array.isArray(result) ? result.map(({ message_id: id }) => id) : [result];
  for (const [chat, message] of sentNow(core, ids)) {
    if (echoed.has(message)) continue;
    echoed.add(message);
    if (echoAfterMs === 0) await echoOf(core, chat, message);
    else core.clock.after(echoAfterMs, () => void echoOf(core, chat, message));
  }
}

const sentNow = ({ world }: Core, ids: unknown[]): [Chat, Message][] =>
  world.chats.flatMap((chat) =>
    chat.messages
      .filter(({ id, from }) => from === "community" && ids.includes(id))
      .map((message): [Chat, Message] => [chat, message]),
  );

async function answered(c: Context<Env>, call: Call, run: () => Promise<unknown>): Promise<Response> {
  try {
    return c.json({ response: (await run()) as object });
  } catch (error) {
    if (!(error instanceof VkRefusal))
      process.stderr.write(`sandbox: ${error instanceof Error ? error.stack : error}\n`);
    return c.json(errorOf(error instanceof VkRefusal ? error : new VkRefusal(10), call));
  }
}

function errorOf({ code, message }: VkRefusal, { name, form }: Call): object {
  const given = Object.entries(form).filter(([key]) => key !== "access_token");
  const request_params = [["method", name], ...given].map(([key, value]) => ({ key, value }));
  return { error: { error_code: code, error_msg: message, request_params } };
}

async function note(c: Context<Env>, core: Core, { name, form, fields }: Call, answer: Response): Promise<void> {
  const read = await answer
    .clone()
    .json()
    .catch(() => undefined);
  core.journal.add({
    ...{ at: core.clock.now(), kind: "call", operation: name, method: c.req.method, path: c.req.path, query: {} },
    ...{ status: answer.status, answer: read, request: { ...(fields ?? form), access_token: "***" } },
    headers: { "content-type": c.req.header("content-type") ?? "" },
  });
}
