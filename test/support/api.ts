import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect } from "vitest";
import { API, openapi } from "../../src/http/api/openapi.ts";
import { busyConsole } from "./console.ts";
import { customerSays } from "./events.ts";
import { roomFor } from "./room.ts";
import { takeLease } from "./store.ts";

type Content = Record<string, { schema: object }>;
type Documented = Record<string, { content: Content }>;

/** Judges answers by the document of the API. */
function judge() {
  const document = openapi();
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const problems = document.components.responses.problem;
  const patterns = Object.entries(document.paths).map(([path, operations]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    // Fixed paths before those with a parameter.
    fixed: !path.includes("{"),
    operations,
  }));
  patterns.sort((one, other) => Number(other.fixed) - Number(one.fixed));
  return (method: string, path: string, status: number, type: string | null, body: unknown) => {
    const operations = patterns.find(({ pattern }) => pattern.test(path))?.operations;
    const responses = (operations?.[method] as { responses?: Documented } | undefined)?.responses;
    const content: Content | undefined = status === 200 ? responses?.["200"]?.content : problems.content;
    const schema = content?.[type?.split(";")[0] ?? ""]?.schema;
    expect(schema, `${status} of ${method} ${path} as ${type}`).toBeDefined();
    const isRight = ajv.compile(schema ?? {});
    expect(isRight(body) ? [] : isRight.errors, `${method} ${path}`).toEqual([]);
  };
}

/** The API beside the console of `busyConsole`, with tokens of some scopes; every answer is judged by the document. */
export async function busyApi() {
  const made = await busyConsole();
  const { store, account, channel } = made;
  for (const name of ["x", "y", "z"])
    await store.outbox.acceptInbound(channel, { events: [customerSays(name, `answer ${name}`, `chat-${name}`)] });
  for (const job of await store.outbox.claim(await takeLease(store, account.id, "test"), roomFor(99)))
    if (job.direction === "inbound") await store.outbox.failed(job, { state: "dead", code: "general" }, "refused");
  await made.ledger.look();
  const judged = judge();
  const tokenWith = async (name: string, ...scopes: string[]) => {
    const token = await made.store.apiTokens.add(name, scopes);
    if (token === undefined) throw new Error("there is such a token already");
    return token;
  };
  const ask = async (token: string | undefined, path: string, body?: unknown, init: RequestInit = {}) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const posted =
      body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
    const answer = await made.site.request(`${API}${path}`, { ...posted, headers: authorization, ...init });
    const text = await answer.text();
    const json = JSON.parse(text);
    const method = body === undefined ? "get" : "post";
    if (path !== "/openapi.json")
      judged(method, path.split("?")[0] ?? "", answer.status, answer.headers.get("content-type"), json);
    return { status: answer.status, headers: answer.headers, json, text };
  };
  return { ...made, tokenWith, ask };
}
