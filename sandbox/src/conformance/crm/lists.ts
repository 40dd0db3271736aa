import type { CallData } from "./area.ts";
import type { Sent } from "./caller.ts";
import type { Drive } from "./one.ts";
import type { Parameter } from "./operations.ts";
import { boundary, choicesOf, held, strange } from "./values.ts";

/** A list's parameters: each with a value that finds something and, unless every value does, one that finds nothing. */
export async function driveList(drive: Drive, model: CallData, all: Sent): Promise<void> {
  const entries = entriesIn(all);
  const { operation, ledger } = drive;
  for (const parameter of operation.inQuery) {
    if (ledger.isMet(operation, "parameter", `?${parameter.name}`)) continue;
    await driveFinding(drive, model, parameter, entries);
    await driveEmpty(drive, model, parameter);
  }
}

async function driveFinding(
  { operation, scenario, ledger, accepted }: Drive,
  model: CallData,
  parameter: Parameter,
  entries: unknown[],
): Promise<void> {
  const name = `?${parameter.name}`;
  const choices = choicesOf(parameter);
  const given = [scenario.finds?.[parameter.name] ?? []].flat();
  const values = choices.length > 0 ? choices : given.length > 0 ? given : guesses(parameter, entries);
  if (values.length === 0) ledger.miss(operation, "parameter", name, "no value is known");
  for (const value of values) {
    const sent = await accepted(asked(model, parameter, value), `${name}=${String(value)}`);
    if (!sent) continue;
    ledger.meet(operation, "value", `${name}=${value}`);
    if (entriesIn(sent).length > 0) ledger.meet(operation, "parameter", name);
    else ledger.miss(operation, "parameter", name, `nothing found with ${values.join(", ")}`);
    if (choices.length === 0 && entriesIn(sent).length > 0) return;
  }
}

function guesses(parameter: Parameter, entries: unknown[]): string[] {
  const bounds = boundary(parameter);
  return bounds ? [bounds.all] : held(entries, parameter);
}

async function driveEmpty(
  { operation, scenario, ledger, accepted }: Drive,
  model: CallData,
  parameter: Parameter,
): Promise<void> {
  const name = `?${parameter.name}`;
  const value = scenario.findsNot?.[parameter.name] ?? strange(parameter);
  if (value === undefined || ledger.isMet(operation, "empty", name)) return;
  const sent = await accepted(asked(model, parameter, value), `${name}=${String(value)}`);
  if (!sent) return;
  const count = entriesIn(sent).length;
  if (count === 0) ledger.meet(operation, "empty", name);
  else ledger.miss(operation, "empty", name, `${count} found with ${String(value)}`);
}

/** A map's value is `{key: value}`. */
function asked(model: CallData, { name }: Parameter, value: unknown): CallData {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  const query = isMap
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [`${name}[${key}]`, each]))
    : { [name]: value };
  return { ...model, query: { ...model.query, ...query } };
}

const AROUND = ["success", "pagination", "generatedAt"];

/** The list in an answer; some are maps. */
export function entriesIn({ body }: Sent): unknown[] {
  const [list] = Object.entries(body).flatMap(([name, value]) =>
    AROUND.includes(name) || typeof value !== "object" || value === null ? [] : [value],
  );
  return Array.isArray(list) ? list : Object.values(list ?? {});
}
