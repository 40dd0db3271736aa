import type { z } from "zod";
import type { ChannelAdapter } from "../channels/port.ts";
import type { UnsurePolicy } from "../domain/channel.ts";

export interface ChannelForm {
  name: string;
  /** As the form gave it, a value a field; lists are lists. */
  settings: Record<string, unknown>;
  /** What to do with unsure sends, where the form asks for it. */
  unsure?: string;
}

/** A field of the form, by its name in the adapter's schema; `message` is the adapter's own words, if it has any. */
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
}

const LONGEST_NAME = 100;

/** Hidden settings (keys the server made) are kept from `before`; the rest is what the form says. */
export function readForm(
  adapter: ChannelAdapter,
  form: ChannelForm,
  before: Record<string, unknown>,
): ChannelDraft | { fault: SettingFault | { code: "name" } } {
  const name = form.name.trim() || adapter.title;
  if ([...name].length > LONGEST_NAME || /\p{Cc}/u.test(name)) return { fault: { code: "name" } };
  // The adapter's own words stay; the library's are for programmers, and give way to a rule that the page words.
  const read = adapter.settings.safeParse({ ...before, ...form.settings }, { error: () => "", reportInput: true });
  const unsure = form.unsure === "hold" || form.unsure === "resend" ? form.unsure : undefined;
  if (read.success) return { name, settings: read.data, unsure };
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
