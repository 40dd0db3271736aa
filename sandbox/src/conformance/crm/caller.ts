import type { Exchange } from "../../calls.ts";
import { SANDBOX_KEY } from "../../crm/rights.ts";
import type { Stage } from "../stage.ts";
import type { CallData, Step } from "./area.ts";
import { valueAt } from "./choices.ts";
import type { CrmOperation } from "./operations.ts";

export interface Sent {
  status: number;
  body: Record<string, unknown>;
  /** The judge's view of it. */
  exchange: Exchange | undefined;
}
export interface Caller {
  /** An empty key is none. */
  send(operation: CrmOperation, data: CallData, key?: string): Promise<Sent>;
  /** Throws an Error if a step does not succeed. */
  steps(steps: Step[] | undefined): Promise<void>;
  /** With the names' values. */
  filled(value: unknown): unknown;
  keep(names: Record<string, string> | undefined, answer: unknown): void;
}

type Form = Record<string, unknown> | undefined;

export function createCaller(
  { running: { origin }, seen, control, agent, crm }: Stage,
  operations: CrmOperation[],
): Caller {
  const kept = new Map<string, unknown>();
  const byId = new Map(operations.map((operation) => [operation.id, operation]));
  let calls = 0;
  const filled = (value: unknown): unknown => {
    if (typeof value === "string") return textFilled(value, kept);
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [textFilled(key, kept), filled(each)]));
  };
  const direct = (call: string, form: Form) => {
    const [method = "", path = ""] = String(filled(call)).split(" ");
    if (!path) throw new Error(`the contract has no ${call}`);
    if (path.startsWith(AGENT)) return agent(method, path.slice(AGENT.length), form);
    return path.startsWith(CONTROL) ? control(method, path.slice(CONTROL.length), form) : crm(method, path, form);
  };
  const send: Caller["send"] = async (operation, given, key = SANDBOX_KEY) => {
    calls += 1;
    kept.set("n", calls);
    const data = filled(given) as CallData;
    const headers = { ...(key && { "x-api-key": key }), ...(data.bytes !== undefined && BYTES) };
    const answer = await fetch(`${origin}${addressOf(operation, data)}`, {
      method: operation.method,
      headers,
      body: bodyOf(operation, data),
    });
    const body = (await answer.json().catch(() => ({}))) as Sent["body"];
    return { status: answer.status, body, exchange: seen.findLast(({ side }) => side === "crm") };
  };
  const keep: Caller["keep"] = (names = {}, answer) => {
    for (const [name, path] of Object.entries(names)) kept.set(name, valueAt(answer, path.split(".")));
  };
  const take = async ({ call, keep: names, ...data }: Step): Promise<void> => {
    const operation = byId.get(call);
    const { status, body } = operation ? await send(operation, data) : await direct(call, filled(data.form) as Form);
    if (status >= 300) throw new Error(`${call} is refused with ${status} ${JSON.stringify(body)}`);
    keep(names, body);
  };
  return {
    send,
    filled,
    keep,
    async steps(steps = []) {
      for (const step of steps) await take(step);
    },
  };
}

const CONTROL = "/sandbox";
const AGENT = "/sandbox/agent";
const BYTES = { "content-type": "application/octet-stream" };

/** A text that is only a name becomes the value itself. */
function textFilled(text: string, kept: ReadonlyMap<string, unknown>): unknown {
  const keptAs = (name: string): unknown => {
    if (!kept.has(name)) throw new Error(`nothing is kept as $${name}`);
    return kept.get(name);
  };
  const [, whole] = /^\$(\w+)$/.exec(text) ?? [];
  return whole ? keptAs(whole) : text.replaceAll(/\$(\w+)/g, (_, name: string) => String(keptAs(name)));
}

export function addressOf({ path }: CrmOperation, { path: names = {}, query = {}, form = {} }: CallData): string {
  const by = String(query.by ?? form.by ?? "externalId");
  const entityBy = String(form.entityBy ?? "externalId");
  const named = (name: string): string => {
    const value = names[name] ?? "1";
    const way = name.startsWith("entity") ? entityBy : by;
    return encodeURIComponent(String(isNamed(value) ? value[way] : value));
  };
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  const found = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
  return `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named(name))}${found}`;
}

const isNamed = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function bodyOf(
  { method }: CrmOperation,
  { form, bytes, file }: CallData,
): string | URLSearchParams | FormData | undefined {
  if (method === "GET") return undefined;
  if (bytes !== undefined) return bytes;
  const fields = Object.entries(form ?? {}).map(([name, value]): [string, string] => [name, textOf(value)]);
  if (file === undefined) return new URLSearchParams(fields);
  const parts = new FormData();
  for (const [name, value] of fields) parts.set(name, value);
  parts.set("file", new File([file], "file.txt", { type: "text/plain" }));
  return parts;
}

/** An entity is JSON in one field. */
const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
