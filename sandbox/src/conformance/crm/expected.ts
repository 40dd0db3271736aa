import { choicesIn } from "./choices.ts";
import type { CrmOperation, Recorded } from "./operations.ts";
import { choicesOf, invalid, strange } from "./values.ts";

export type Kind = "operation" | "parameter" | "empty" | "value" | "error";
export interface Expected {
  kind: Kind;
  name: string;
}

/** Refusals of a call without a usable key, as the CRM words them. */
export const NO_KEY = '403 "apiKey" is missing.';
export const WRONG_KEY = '403 Wrong "apiKey" value.';
export const NO_RIGHT = "403 Access denied.";
export const UNKNOWN_FILTER = "400 an unknown filter";
/** Beyond the rate. */
export const TOO_MANY = ["429", "503"];
/** Provoked by a scenario's own calls. */
const OWN = ["402", "405", "460"];

export const missing = (field: string) => `400 Parameter '${field}' is missing`;
export const wrong = (name: string) => `400 ${name} is invalid`;
export const unknown = (name: string) => `404 {${name}}`;
export const together = (one: string, other: string) => `400 ?${one} with ?${other}`;
export const recorded = ({ status, errorMsg, errors = {} }: Recorded): string => {
  const words = Array.isArray(errors) ? errors : Object.keys(errors);
  return `${status} ${errorMsg}${words.length > 0 ? ` (${words.join(", ")})` : ""}`;
};

/** Everything that a run should meet of an operation. */
export function expectedOf(operation: CrmOperation): Expected[] {
  const { inPath, inQuery, form, resolve } = operation;
  const named = (kind: Kind, names: string[]) => names.map((name) => ({ kind, name }));
  const values = [
    ...inPath.flatMap(({ name, schema }) => ((schema.enum ?? []) as unknown[]).map((value) => `{${name}}=${value}`)),
    ...inQuery.flatMap((parameter) => choicesOf(parameter).map((value) => `?${parameter.name}=${value}`)),
    ...(form ? choicesIn(form, resolve) : []).flatMap(({ path, values }) =>
      values.map((value) => `${path.join(".")}=${value}`),
    ),
  ];
  return [
    { kind: "operation", name: operation.id },
    ...named(
      "parameter",
      inQuery.map(({ name }) => `?${name}`),
    ),
    ...named("empty", emptyIn(operation)),
    ...named("value", values),
    ...named("error", errorsOf(operation)),
  ];
}

/** Parameters that narrow a list down. */
export const isList = ({ method, inQuery }: CrmOperation): boolean =>
  method === "GET" && inQuery.some(({ name }) => name === "limit" || name.endsWith("[]"));

function emptyIn(operation: CrmOperation): string[] {
  if (!isList(operation)) return [];
  return operation.inQuery
    .filter((parameter) => !["limit", "by", "site"].includes(parameter.name) && strange(parameter) !== undefined)
    .map(({ name }) => `?${name}`);
}

function errorsOf({ inPath, inQuery, form, refusals, scopes, recorded: seen }: CrmOperation): string[] {
  const required = (form?.required ?? []) as string[];
  const bad = [
    ...required.map(missing),
    ...inPath.filter(({ schema }) => schema.enum).map(({ name }) => wrong(`{${name}}`)),
    ...inQuery.filter((each) => invalid(each) !== undefined).map(({ name }) => wrong(`?${name}`)),
    ...inQuery.flatMap(({ name, notWith }) => (notWith ? [together(name, notWith)] : [])),
  ];
  const ofPath = inPath.filter(({ schema }) => !schema.enum && refusals.includes("404"));
  return [
    NO_KEY,
    WRONG_KEY,
    ...(scopes.length > 0 ? [NO_RIGHT] : []),
    ...bad,
    ...(bad.length === 0 || inQuery.some(({ name }) => name.startsWith("filter")) ? [UNKNOWN_FILTER] : []),
    ...ofPath.map(({ name }) => unknown(name)),
    ...refusals.filter((status) => OWN.includes(status) || TOO_MANY.includes(status)),
    ...seen.map(recorded),
  ];
}
