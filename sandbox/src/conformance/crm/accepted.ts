import type { CallData } from "./area.ts";
import { choicesIn, withValue } from "./choices.ts";
import { isList } from "./expected.ts";
import { driveList } from "./lists.ts";
import type { Drive } from "./one.ts";

/** Every call of the operation that must succeed. */
export async function driveAccepted(drive: Drive): Promise<void> {
  const { caller, ledger, operation, scenario, accepted } = drive;
  const { path, query, form, bytes, file, keep, also = [] } = scenario;
  const model: CallData = { path, query, form, bytes, file };
  const sent = await accepted(model, "called", await keyFor(drive));
  if (!sent) return;
  caller.keep(keep, sent.body);
  ledger.meet(operation, "operation", operation.id);
  note(drive, model);
  for (const more of also) {
    const data = { ...model, ...more };
    if (await accepted(data, `called with ${JSON.stringify(more)}`)) note(drive, data);
  }
  await drivePathChoices(drive, model);
  await driveFormChoices(drive, model);
  if (isList(operation)) await driveList(drive, model, sent);
  else await driveQueryChoices(drive, model);
}

/** A key with the documented rights alone. */
async function keyFor({ stage, operation: { scopes } }: Drive): Promise<string | undefined> {
  if (scopes.length === 0) return undefined;
  const key = `with ${scopes.join(" ")}`;
  await stage.control("POST", "/keys", { key, scopes });
  return key;
}

/** Notes the choices and parameters of an accepted call. */
function note({ ledger, operation }: Drive, { path = {}, query = {}, form = {} }: CallData): void {
  for (const [name, value] of Object.entries(path)) ledger.meet(operation, "value", `{${name}}=${value}`);
  for (const [name, value] of Object.entries(query)) {
    ledger.meet(operation, "value", `?${name}=${value}`);
    if (!isList(operation)) ledger.meet(operation, "parameter", `?${name}`);
  }
  for (const choice of choicesIn(operation.form ?? {}, operation.resolve))
    for (const value of choice.values)
      if (JSON.stringify(withValue(form, choice.path, value)) === JSON.stringify(form))
        ledger.meet(operation, "value", `${choice.path.join(".")}=${value}`);
}

async function drivePathChoices(drive: Drive, model: CallData): Promise<void> {
  const { operation, scenario, ledger, accepted } = drive;
  for (const { name, schema } of operation.inPath)
    for (const value of (schema.enum ?? []) as unknown[]) {
      const choice = `{${name}}=${value}`;
      if (ledger.isMet(operation, "value", choice)) continue;
      const { path, ...more } = scenario.choices?.[choice] ?? {};
      const data = { ...model, ...more, path: { ...model.path, ...(path as object), [name]: value } };
      if (await accepted(data, choice)) note(drive, data);
    }
}

/** One call for each choice of the form. */
async function driveFormChoices(drive: Drive, model: CallData): Promise<void> {
  const { operation, scenario, ledger, accepted } = drive;
  for (const { path, values } of choicesIn(operation.form ?? {}, operation.resolve))
    for (const value of values) {
      const choice = `${path.join(".")}=${value}`;
      if (ledger.isMet(operation, "value", choice)) continue;
      const own = scenario.choices?.[choice] ?? {};
      const form = withValue({ ...model.form, ...(own.form as object) }, path, value) as Record<string, unknown>;
      const data = { ...model, ...own, form };
      if (await accepted(data, choice)) note(drive, data);
    }
}

/** Of a call that reads one entity: every parameter, and each of its values. */
async function driveQueryChoices(drive: Drive, model: CallData): Promise<void> {
  const { operation, scenario, ledger, accepted } = drive;
  for (const { name, schema } of operation.inQuery) {
    const values = (schema.enum as unknown[] | undefined) ?? [scenario.finds?.[name] ?? []].flat();
    for (const value of values) {
      if (ledger.isMet(operation, "value", `?${name}=${value}`) && ledger.isMet(operation, "parameter", `?${name}`))
        continue;
      const data = { ...model, query: { ...model.query, [name]: value } };
      if (await accepted(data, `?${name}=${value}`)) note(drive, data);
    }
  }
}
