import { Ajv2020, type ErrorObject, str, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { createFormReader } from "./crm/form-values.ts";
import { isReal } from "./crm/times.ts";
import { contractDocuments, type Document, type Side, withAny } from "./documents.ts";
import { createNormalizer, type Normalization, plainQuery, resolver, withoutNulls } from "./normalize.ts";
import { type Json, loadSpec, type Spec } from "./spec.ts";

/** Judges traffic by the published contract alone. */
export interface Judge {
  /** Undefined when the contract has no such operation. */
  operation(side: Side, method: string, path: string): Operation | undefined;
  /** Operation names as fault plans take them. */
  operations(): { group: string; names: string[] }[];
  request(operation: Operation, body: unknown): string[];
  query(operation: Operation, query: URLSearchParams): string[];
  path(operation: Operation, path: string): string[];
  answer(operation: Operation, status: number, body: unknown): string[];
  /** An event of the bots' socket. */
  event(event: unknown): string[];
  /** The body as the server stores it: nulls dropped, strings normalized, form values cast. */
  normalize(operation: Operation, body: unknown, way: Normalization): unknown;
}
export interface Operation {
  side: Side;
  id: string;
  path: RegExp;
  method: string;
  /** The request body's schema, references unresolved. */
  schema?: unknown;
  requestBody?: { required: boolean; check?: Check };
  /** A map parameter carries its key in brackets: `name[key]`. */
  query: { name: string; required: boolean; list: boolean; map: boolean; check: Check }[];
  inPath: Check[];
  /** Rights of the caller, where the contract names them. */
  scopes: string[];
  answers: Map<string, Check | undefined>;
}

/** Most faults reported for one body. */
const MAX_FAULTS = 20;
type Check = (body: unknown) => string[];

const GROUPS = { gateway: "Transport API", webhook: "Webhooks", callback: "Callbacks", bot: "Bot API", crm: "CRM" };

/** The one of this process: reading and compiling the contract takes longer than all that a sandbox does at its start. */
export const contractJudge = lazily(createJudge);

const documentsOnce = lazily(contractDocuments);

/** Knows all documents, by their names. */
export const contractAjv = lazily(() => ajvOf(documentsOnce(), false));

function createJudge(): Judge {
  const documents = documentsOnce();
  const coercing = lazily(() => ajvOf(documents, true));
  const operations = documents.flatMap((document) => readSpec(contractAjv, coercing, document));
  // A fixed path wins over one with a parameter in its place.
  const byPath = operations.toSorted((one, other) => one.inPath.length - other.inPath.length);
  const specOf = (wanted: string) => documents.find(({ name }) => name === wanted)?.spec as Spec;
  const normalizers = { gateway: createNormalizer(specOf("gateway")), bot: createNormalizer(specOf("bot")) };
  const resolvers = new Map(documents.map(({ name, spec }) => [name, lazily(() => resolver(absolute(name, spec)))]));
  const formOf = createFormReader((ref) => resolvers.get(ref.slice(0, ref.indexOf("#")))?.()(ref) ?? {});
  const event = lazily(() => contractAjv().compile(withAny(loadSpec("bot-ws.schema.json"))));
  return {
    operation: (side, method, path) => byPath.find((o) => o.side === side && o.method === method && o.path.test(path)),
    operations: () =>
      Object.entries(GROUPS).map(([side, group]) => ({
        group,
        names: operations.filter((o) => o.side === side).map((o) => (side === "bot" ? `bot:${o.id}` : o.id)),
      })),
    request: ({ requestBody }, body) => {
      if (body === undefined) return requestBody?.required ? ["(body) is missing"] : [];
      return requestBody?.check?.(body) ?? [];
    },
    query: (operation, given) => {
      const query = plainQuery(given);
      const faults = operation.query.flatMap(({ name, required, list, check }) => {
        const values = query.getAll(name);
        if (values.length === 0) return required ? [`?${name} is missing`] : [];
        const value = { value: list ? values : values.length === 1 ? values[0] : values };
        return check(value).map((fault) => fault.replace("/value", `?${name}`));
      });
      return [...faults, ...(operation.side === "crm" ? unknownFilters(operation, query) : [])];
    },
    path: (operation, path) => {
      const parts = operation.path.exec(path)?.slice(1) ?? [];
      return operation.inPath.flatMap((check, n) =>
        check({ value: decode(parts[n] ?? "") }).map((fault) => fault.replace("/value", "(path)")),
      );
    },
    answer(operation, status, body) {
      const key = [String(status), `${String(status)[0]}XX`, "default"].find((k) => operation.answers.has(k));
      if (!key) return [`the status ${status} is not in the contract`];
      return operation.answers.get(key)?.(body) ?? [];
    },
    event: (body) => eventFaults(event(), body),
    normalize: ({ side, schema }, body, way) => {
      const given = withoutNulls(body);
      if (side === "crm") return formOf(schema, given);
      return side === "gateway" || side === "bot" ? normalizers[side](schema, given, way) : given;
    },
  };
}

/** The CRM refuses unknown filters. */
function unknownFilters({ query: known }: Operation, query: URLSearchParams): string[] {
  const names = [...query.keys()].filter((name) => name.startsWith("filter"));
  const isKnown = (name: string) =>
    known.some(({ name: own, map }) => (map ? name.startsWith(`${own}[`) : name === own));
  return names.filter((name) => !isKnown(name)).map((name) => `?${name} is not a filter of this list`);
}

export const decode = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const DAY = /^\d{4}-\d\d-\d\d$/;
const SECOND = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/** A test holds the documents' schemas to the meta-schema: doing so at each start is slow. */
function ajvOf(documents: readonly Document[], coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, verbose: true, coerceTypes, validateSchema: false });
  addFormats.default(ajv);
  // Ajv's own formats are looser and pass unusable values.
  ajv.addFormat("uri", (text: string) => URL.canParse(text));
  ajv.addFormat("date-time", (text: string) => TIME.test(text) && isTime(text));
  ajv.addFormat("crm-day", (text: string) => DAY.test(text) && isReal(text));
  ajv.addFormat("crm-second", (text: string) => SECOND.test(text) && isReal(text));
  for (const format of ["int64", "int32", "double", "binary"]) ajv.addFormat(format, true);
  ajv.addKeyword({
    keyword: "x-nonzero",
    validate: (on: boolean, value: unknown) => !on || value !== 0,
    ...withMessage("must not be 0"),
  });
  ajv.addKeyword({
    keyword: "x-format",
    validate: (format: string, value: unknown) => FORMATS[format]?.(String(value)) ?? true,
    error: { message: ({ schema }) => str`${notDate(schema)}` },
  });
  ajv.addKeyword({ keyword: "x-validator", validate: named, ...withMessage("is not valid") });
  for (const { name, spec } of documents) ajv.addSchema(spec as never, name);
  return ajv;
}

const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/;
/** The CRM's formats that begin with a day: their patterns, if any, pass days that no calendar has. */
const FORMATS: Record<string, (text: string) => boolean> = {
  "Y-m-d": isReal,
  "Y-m-d H:i": isReal,
  "Y-m-d H:i:s": isReal,
  "Y-m-d\\TH:i:sP": (text) => ZONED.test(text) && isTime(text),
};

const notDate = (format: unknown): string => `is not a ${/^Y/.test(String(format)) ? "date" : "time"} (${format})`;
const withMessage = (message: string) => ({ error: { message } });

/** The contract names these checks without defining them; these are their loosest readings. */
const NAMED: Record<string, RegExp> = {
  currency: /^[A-Za-z]{3}$/,
  web_url_length: /^https?:\/\/[^\s]{1,2040}$/,
  command_name: /^[^\s/]{1,32}$/,
};
const named = (rule: string, value: unknown): boolean =>
  typeof value !== "string" || (NAMED[rule]?.test(value) ?? true);

/** Compile on first use: compiling the whole contract is slow. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function checking(compile: () => ValidateFunction): Check {
  const compiled = lazily(compile);
  return (body) => {
    const validate = compiled();
    if (validate(body)) return [];
    return (validate.errors ?? []).slice(0, MAX_FAULTS).map((e) => `${e.instancePath || "(body)"} ${wordsOf(e)}`);
  };
}

/** A date's pattern says less than its format. */
function wordsOf({ keyword, parentSchema, message = "is wrong" }: ErrorObject): string {
  const format = keyword === "pattern" && parentSchema?.["x-format"];
  return format ? notDate(format) : message;
}

/** Only the faults of the event's own type, out of seventeen. */
function eventFaults(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return [];
  const type = String((body as { type?: unknown }).type);
  const name = `Event${type
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")}`;
  const own = (validate.errors ?? []).filter((e) => e.schemaPath.includes(name) || !e.schemaPath.includes("Event"));
  return own.map((e) => `${e.instancePath || "(event)"} ${e.message ?? "is wrong"}`);
}

/** Makes local references absolute, so that a fragment stands alone. */
const absolute = <T>(document: string, schema: T): T =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${document}#/`));

function readSpec(ajv: () => Ajv2020, coercing: () => Ajv2020, { name, spec, side, hooks }: Document): Operation[] {
  const compile = (schema: unknown): Check | undefined =>
    schema === undefined ? undefined : checking(() => ajv().compile(absolute(name, schema) as object));
  const parameter = ({ schema }: Json) => {
    // Choices among numbers say so without a type.
    const typed = { ...(isNumbers((schema as Json).enum) && { type: "integer" }), ...(schema as Json) };
    return checking(() => coercing().compile({ type: "object", properties: { value: absolute(name, typed) } }));
  };
  const resolve = (item: Json): Json => {
    const ref = typeof item.$ref === "string" ? item.$ref.split("/").at(-1) : undefined;
    return ref ? (spec.components.responses?.[ref] ?? {}) : item;
  };
  const read = (at: Side, path: RegExp, method: string, raw: Json): Operation => {
    const body = raw.requestBody as Json | undefined;
    const parameters = (raw.parameters ?? []) as Json[];
    const answers = Object.entries(raw.responses as Record<string, Json>).map(
      ([status, answer]) => [status, compile(schemaOf(resolve(answer)))] as const,
    );
    return {
      side: at,
      id: String(raw.operationId),
      path,
      method: method.toUpperCase(),
      schema: body && absolute(name, schemaOf(body) ?? true),
      requestBody: body && { required: body.required === true, check: compile(schemaOf(body)) },
      query: parameters
        .filter((p) => p.in === "query")
        .map((p) => ({
          name: String(p.name),
          required: p.required === true,
          list: (p.schema as Json).type === "array",
          map: (p.schema as Json).type === "object",
          check: parameter(p),
        })),
      inPath: parameters.filter((p) => p.in === "path").map(parameter),
      scopes: (raw["x-scopes"] ?? []) as string[],
      answers: new Map(answers),
    };
  };
  const each = (paths: Spec["webhooks"], at: Side) =>
    Object.entries(paths ?? {}).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => read(at, pattern(path), method, raw)),
    );
  return [...each(spec.paths, side), ...each(spec.webhooks, hooks)];
}

const isNumbers = (choices: unknown): boolean => Array.isArray(choices) && choices.every(Number.isInteger);

const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "([^/]+)")}$`);

/** Raw bytes have no schema. */
function schemaOf(body: Json): unknown {
  const content = (body.content ?? {}) as Record<string, { schema?: unknown }>;
  return (content["application/json"] ?? content["application/x-www-form-urlencoded"])?.schema;
}
