/** A point in time as `2026-01-31` or `2026-01-31T14:30`, in UTC, ms; undefined of anything else, such as February 31. */
export function utcTime(text: string): number | undefined {
  const [, day, time = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d)?))?Z?$/.exec(text.trim()) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time}Z`);
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(`${day}T`) ? undefined : at;
}
