import { UsageError } from "gangway-sandbox";

/** The value of an option; `otherwise` without one. Throws UsageError. */
export function numberIn(
  name: string,
  text: string | undefined,
  otherwise: number,
  kind: "number" | "whole number" = "number",
): number {
  const number = text === undefined ? otherwise : Number(text);
  const fits = number >= 0 && (kind === "number" || Number.isSafeInteger(number));
  if (text?.trim() === "" || !fits) throw new UsageError(`--${name} is a ${kind}, not "${text}"`);
  return number;
}
