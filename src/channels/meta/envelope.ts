import * as z from "zod";
import type { Forwarded } from "../port.ts";
import { SIGNATURE_HEADER, signatureOf } from "./signature.ts";

/** Ids come as a number or as text. */
export const id = z.union([z.string(), z.number()]).transform(String);

const change = z.object({ field: z.string(), value: z.unknown().optional() });
const entry = z.object({
  id,
  time: z.union([z.number(), z.string()]).nullish(),
  changes: z.array(change).nullish(),
  messaging: z.array(z.unknown()).nullish(),
  standby: z.array(z.unknown()).nullish(),
});

/** What every webhook of Meta's platform is: a batch of entries, each of one page, account or number. */
export const envelope = z.object({ object: z.string(), entry: z.array(entry) });
export type Envelope = z.infer<typeof envelope>;
export type Entry = z.infer<typeof entry>;
export type Change = z.infer<typeof change>;

/** The logins (`Identity.id`) that a change belongs to, or an entry without changes. */
export type LoginsOf = (entry: Entry, change?: Change) => string[];

/** A batch by login, in order. What belongs to no login is left out. */
export function byLogin({ object, entry: entries }: Envelope, loginsOf: LoginsOf): Map<string, Envelope> {
  const parts = new Map<string, Envelope>();
  const add = (login: string, entry: Entry) => {
    const part = parts.get(login) ?? { object, entry: [] };
    parts.set(login, part);
    const last = part.entry.at(-1);
    if (last?.changes && entry.changes && last.id === entry.id && last.time === entry.time)
      last.changes.push(...entry.changes);
    else part.entry.push(entry);
  };
  for (const entry of entries) {
    const { changes, ...rest } = entry;
    if (rest.messaging || rest.standby || !changes) for (const login of loginsOf(rest)) add(login, { ...rest });
    for (const each of changes ?? [])
      for (const login of loginsOf(entry, each)) add(login, { id: entry.id, time: entry.time, changes: [each] });
  }
  return parts;
}

/** A part as a request to the door of its channel, which authenticates it by the same app's secret. */
export function forwarded(login: string, part: Envelope, secret: string): Forwarded {
  const body = JSON.stringify(part);
  return { login, request: { path: "", headers: { [SIGNATURE_HEADER]: signatureOf(secret, body) }, body } };
}
