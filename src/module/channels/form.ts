import { cleanName } from "gangway-messenger/ids";
import type { ChannelAdapter } from "gangway-messenger/port";
import type { z } from "zod";
import { PAST_DAYS, type PastDays, type UnsurePolicy } from "../../domain/channel.ts";

export interface ChannelForm {
  name: string;
  /** Form values by field; lists are arrays. */
  settings: Record<string, unknown>;
  /** Policy for unsure sends, if the form has that field. */
  unsure?: string;
  /** Days of past messages to import, as typed. */
  past?: string;
}

/** An invalid field, by its name in the adapter's schema; `message` is the adapter's own text, if any. */
export interface SettingFault {
  code: "setting";
  field: string;
  message: string;
  rule: SettingRule;
  limit?: number;
}
export type SettingRule =
  | "missing"
  | "too-long"
  | "too-short"
  | "too-many"
  | "too-few"
  | "too-high"
  | "too-low"
  | "form";
export interface ChannelDraft {
  name: string;
  settings: unknown;
  unsure?: UnsurePolicy;
  pastDays: PastDays;
}

const MAX_NAME_LENGTH = 100;

/** Hidden settings (server-generated keys) come from `before`, all others from the form. */
export function readForm(
  adapter: ChannelAdapter,
  form: ChannelForm,
  before: Record<string, unknown>,
): ChannelDraft | { fault: SettingFault | { code: "name" } } {
  const name = cleanName(form.name) || adapter.title;
  if ([...name].length > MAX_NAME_LENGTH) return { fault: { code: "name" } };
  // Keep the adapter's own messages; replace zod's, written for programmers, with a rule that the page explains.
  const read = adapter.settings.safeParse({ ...before, ...form.settings }, { error: () => "", reportInput: true });
  const unsure = form.unsure === "hold" || form.unsure === "resend" ? form.unsure : undefined;
  const pastDays = PAST_DAYS.find((days) => adapter.listsPast && String(days) === form.past) ?? 0;
  if (read.success) return { name, settings: read.data, unsure, pastDays };
  const [first] = read.error.issues;
  const fault = { field: String(first?.path[0] ?? ""), message: first?.message ?? "", ...ruleOf(first) };
  return { fault: { code: "setting", ...fault } };
}

function ruleOf(issue: z.core.$ZodIssue | undefined): { rule: SettingRule; limit?: number } {
  if (issue?.code === "invalid_type" && issue.input === undefined) return { rule: "missing" };
  if (issue?.code !== "too_big" && issue?.code !== "too_small") return { rule: "form" };
  const big = issue.code === "too_big";
  const limit = Number(issue.code === "too_big" ? issue.maximum : issue.minimum);
  if (issue.origin === "array") return { rule: big ? "too-many" : "too-few", limit };
  if (issue.origin !== "string") return { rule: big ? "too-high" : "too-low", limit };
  if (!big && limit <= 1) return { rule: "missing" };
  return { rule: big ? "too-long" : "too-short", limit };
}
