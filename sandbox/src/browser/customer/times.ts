// The CRM writes times in UTC, without a zone.

export const msOf = (time: string): number => Date.parse(`${time.replace(" ", "T")}Z`);

/** `Y-m-d H:i` of a `datetime-local` field's value, which is in the agent's zone. */
export const utcOf = (local: string): string => new Date(local).toISOString().slice(0, 16).replace("T", " ");
