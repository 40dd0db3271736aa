import type { Check } from "../store/care.ts";
import { plain } from "./table.ts";

// Formats the results of checks.

export const problems = (checks: Check[]): number => checks.reduce((sum, check) => sum + check.faults.length, 0);

export const problemCount = (count: number): string => `${count} ${count === 1 ? "problem" : "problems"}`;

export function checkLines(checks: Check[]): string[] {
  return checks.flatMap(({ name, seen, faults }) => [
    `${faults.length === 0 ? "ok  " : "FAIL"}  ${name}${seen && `: ${seen}`}`,
    ...faults.map((fault) => `        ${plain(fault)}`),
  ]);
}
