import type { Exchange } from "../calls.ts";
import type { Side } from "../documents.ts";
import { type Json, loadSpec } from "../spec.ts";

// Measures which operations, webhooks, events, statuses and enum values of the published documents traffic met.

export type Api = "crm" | "gateway" | "bot" | "socket";
export interface Coverage {
  see(exchange: Exchange): void;
  operations(): OperationRow[];
  enums(): EnumRow[];
  /** Documented statuses of CRM operations. */
  statuses(): { status: string; met: boolean }[];
  /** Query parameters in accepted calls. */
  filters(): { filter: string; met: boolean }[];
}
export interface OperationRow {
  api: Api;
  sort: "operation" | "webhook" | "event";
  id: string;
  ok: number;
  refused: number;
  tooMany: number;
}
export interface EnumRow {
  api: Api;
  /** Path within the document, e.g. `components/schemas/ChannelType`. */
  at: string;
  met: string[];
  missing: string[];
  /** Nothing in traffic refers to it. */
  unreachable: boolean;
}

const FILES: Record<Api, string> = {
  crm: "crm-modules.openapi.json",
  gateway: "transport-api.openapi.json",
  bot: "bot-api.openapi.json",
  socket: "bot-ws.schema.json",
};
const API_OF: Record<Side, Api> = {
  crm: "crm",
  callback: "crm",
  gateway: "gateway",
  webhook: "gateway",
  bot: "bot",
  socket: "socket",
};

interface Operation {
  sort: OperationRow["sort"];
  query: Map<string, Json>;
  request?: Json;
  answers: Map<string, Json>;
}
interface Document {
  root: Json;
  operations: Map<string, Operation>;
  /** Enumerating schemas: each value and whether it was met. */
  enums: Map<object, Map<string, boolean>>;
  reachable: Set<object>;
  paths: Map<object, string>;
}

export function createCoverage(): Coverage {
  const documents = new Map<Api, Document>();
  for (const api of Object.keys(FILES) as Api[]) documents.set(api, readDocument(api));
  const rows = new Map<string, OperationRow>();
  for (const [api, { operations }] of documents)
    for (const [id, { sort }] of operations) rows.set(`${api} ${id}`, { api, sort, id, ok: 0, refused: 0, tooMany: 0 });
  const crmStatuses = new Set<number>();
  const filters = new Set<string>();
  return {
    see(exchange) {
      const api = API_OF[exchange.side];
      const document = documents.get(api) as Document;
      const row = rows.get(`${api} ${exchange.operation}`);
      if (!row) return;
      if (exchange.side === "crm") crmStatuses.add(exchange.status);
      count(row, exchange);
      if (exchange.faults.length > 0 || exchange.status === 0) return;
      mark(document, exchange);
      if (exchange.status < 400)
        for (const name of Object.keys(exchange.query)) filters.add(`${api} ${exchange.operation} ?${name}`);
    },
    operations: () => [...rows.values()],
    enums: () => [...documents].flatMap(([api, document]) => enumRows(api, document)),
    filters: () =>
      [...documents].flatMap(([api, { operations }]) =>
        [...operations].flatMap(([id, { query }]) =>
          [...query.keys()].map((name) => {
            const filter = `${api} ${id} ?${name}`;
            return { filter, met: filters.has(filter) };
          }),
        ),
      ),
    statuses: () =>
      ["400", "402", "403", "404", "429", "503"].map((status) => ({ status, met: crmStatuses.has(Number(status)) })),
  };
}

function count(row: OperationRow, { status, faults }: Exchange): void {
  if (status === 429) row.tooMany += 1;
  // 4xx is a refusal; 500 is the server's own failure.
  else if (status >= 400 && status < 500) row.refused += 1;
  else if (status > 0 && faults.length === 0) row.ok += 1;
}

function readDocument(api: Api): Document {
  const root = loadSpec<Json>(FILES[api]);
  const document: Document = { root, operations: new Map(), enums: new Map(), reachable: new Set(), paths: new Map() };
  if (api === "socket") readEvents(document);
  else
    for (const section of ["paths", "webhooks"])
      for (const methods of Object.values((root[section] ?? {}) as Record<string, Json>))
        for (const raw of Object.values(methods)) readOperation(document, raw as Json, section);
  collect(document, root, "");
  for (const { request, answers, query } of document.operations.values())
    for (const schema of [request, ...answers.values(), ...query.values()]) if (schema) reach(document, schema);
  return document;
}

function readEvents({ root, operations }: Document): void {
  const schemas = root.$defs as Record<string, Json>;
  for (const { $ref } of root.oneOf as { $ref: string }[]) {
    const name = $ref.split("/").at(-1) ?? "";
    const properties = schemas[name]?.properties as Record<string, Json>;
    const id = String((properties.type?.enum as string[] | undefined)?.[0] ?? properties.type?.const);
    operations.set(id, { sort: "event", query: new Map(), request: { $ref }, answers: new Map() });
  }
}

function readOperation(document: Document, raw: Json, section: string): void {
  const parameters = (raw.parameters ?? []) as Json[];
  const answers = Object.entries(raw.responses as Record<string, Json>).flatMap(([status, given]) => {
    const found = typeof given.$ref === "string" ? resolve(document.root, given.$ref) : given;
    const schema = bodySchema(found);
    return schema ? [[status, schema] as const] : [];
  });
  const inQuery = parameters.filter((p) => p.in === "query").map((p) => [String(p.name), p.schema as Json] as const);
  document.operations.set(String(raw.operationId), {
    sort: section === "webhooks" ? "webhook" : "operation",
    query: new Map(inQuery),
    request: raw.requestBody ? bodySchema(raw.requestBody as Json) : undefined,
    answers: new Map(answers),
  });
}

function bodySchema(body: Json): Json | undefined {
  const content = (body.content ?? {}) as Record<string, { schema?: Json }>;
  return (content["application/json"] ?? content["application/x-www-form-urlencoded"])?.schema;
}

const resolve = (root: Json, ref: string): Json =>
  ref
    .replace("#/", "")
    .split("/")
    .reduce<Json>((at, key) => (at[key] ?? {}) as Json, root);

const valuesOf = (schema: Json): unknown[] | undefined =>
  Array.isArray(schema.enum) ? schema.enum : "const" in schema ? [schema.const] : undefined;

/** Collects every enumeration by path. Conditions (`if`) enumerate nothing. */
function collect(document: Document, schema: unknown, path: string): void {
  if (typeof schema !== "object" || schema === null) return;
  const own = valuesOf(schema as Json);
  if (own) document.enums.set(schema, new Map(own.map((value) => [String(value), false])));
  document.paths.set(schema, path);
  for (const [key, part] of Object.entries(schema))
    if (key !== "if" && key !== "enum" && key !== "x-websocket" && key !== "info")
      collect(document, part, `${path}/${key}`);
}

/** Marks everything that an operation's schema refers to. */
function reach(document: Document, schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if (document.reachable.has(schema)) return;
  document.reachable.add(schema);
  const { $ref } = schema as Json;
  if (typeof $ref === "string") reach(document, resolve(document.root, $ref));
  for (const [key, part] of Object.entries(schema)) if (key !== "if") reach(document, part);
}

function mark(document: Document, { operation: id, query, status, request, answer }: Exchange): void {
  const operation = document.operations.get(id);
  if (!operation) return;
  if (operation.request && status < 400) meet(document, operation.request, request);
  const answers = operation.answers;
  const schema = answers.get(String(status)) ?? answers.get(`${String(status)[0]}XX`) ?? answers.get("default");
  if (schema) meet(document, schema, answer);
  if (status >= 400) return;
  for (const [name, values] of Object.entries(query))
    for (const value of values) meet(document, operation.query.get(name) ?? {}, value);
}

/** Walks a value along its schema and notes each enumerated value. */
function meet(document: Document, schema: Json, value: unknown): void {
  if (typeof schema.$ref === "string") meet(document, resolve(document.root, schema.$ref), value);
  if (valuesOf(schema)) noteValue(document, schema, value);
  for (const key of ["allOf", "anyOf", "oneOf"])
    for (const part of (schema[key] ?? []) as Json[]) meet(document, part, value);
  if (schema.then) meet(document, schema.then as Json, value);
  if (typeof schema.items === "object" && schema.items !== null)
    for (const entry of Array.isArray(value) ? value : [value]) meet(document, schema.items as Json, entry);
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
    if (name in value) meet(document, part, (value as Json)[name]);
}

function noteValue(document: Document, schema: Json, value: unknown): void {
  const values = document.enums.get(schema);
  if (values?.has(String(value))) values.set(String(value), true);
}

function enumRows(api: Api, { enums, reachable, paths }: Document): EnumRow[] {
  return [...enums].map(([schema, values]) => ({
    api,
    at: (paths.get(schema) ?? "").slice(1),
    met: [...values].filter(([, met]) => met).map(([value]) => value),
    missing: [...values].filter(([, met]) => !met).map(([value]) => value),
    unreachable: !reachable.has(schema),
  }));
}
