import type { Judge } from "../../judge.ts";
import { mutations } from "../mutations.ts";
import type { Leak } from "../refusals.ts";
import type { CallData } from "./area.ts";
import type { Drive } from "./one.ts";

export interface Bent {
  sent: number;
  leaks: Leak[];
}

/** Bends a valid form in every way that the contract forbids: each must be refused. */
export async function driveBent({ caller, operation, scenario }: Drive, judge: Judge, bent: Bent): Promise<void> {
  if (!operation.form) return;
  const { path, query, form } = caller.filled(scenario) as CallData;
  const judged = judge.operation("crm", operation.method, operation.path.replaceAll(/\{\w+\}/g, "1"));
  if (!judged) return;
  const isWrong = (body: unknown) => judge.request(judged, judge.normalize(judged, asTexts(body), "trim")).length > 0;
  const bodies = mutations(operation.form, form, operation.resolve).filter(({ body }) => isForm(body) && isWrong(body));
  for (const { how, body } of bodies) {
    const { status, body: answer } = await caller.send(operation, { path, query, form: body as CallData["form"] });
    bent.sent += 1;
    if (status < 400 || status >= 500 || answer.success !== false || !answer.errorMsg)
      bent.leaks.push({ operation: operation.id, how, status });
  }
}

const isForm = (body: unknown): boolean => typeof body === "object" && body !== null && !Array.isArray(body);

/** A form's own fields are text. */
const asTexts = (form: unknown): unknown =>
  Object.fromEntries(
    Object.entries(form as object).map(([name, value]) => [name, typeof value === "object" ? value : String(value)]),
  );
