// Times as the CRM writes them: in UTC, as text that sorts.

/** `2026-01-15 10:20:30` */
export const crmTime = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

/** `2026-01-15 10:20`, as tasks are due. */
export const crmMinute = (ms: number): string => crmTime(ms).slice(0, 16);

/** Of a time or a day; NaN without one. */
export const msOf = (text = ""): number =>
  Date.parse(`${text.replace(" ", "T")}${text.includes(" ") ? "" : "T00:00:00"}Z`);

/** Is this a time or a day of the calendar? A date takes the 30th of February for the 2nd of March. */
export function isReal(text: string): boolean {
  const ms = msOf(text);
  return !Number.isNaN(ms) && crmTime(ms).startsWith(text.slice(0, 10));
}
