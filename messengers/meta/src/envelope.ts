import type { Forwarded, RawWebhook } from "gangway-messenger/port";
import * as z from "zod";
import { SIGNATURE_HEADER, signatureOf } from "./signature.ts";

/** Ids are numbers or texts. */
export const id = z.union([z.string(), z.number()]).transform(String);

const change = z.object({ field: z.string(), value: z.unknown().optional() });
export type Change = z.infer<typeof change>;

/** Anything that is not a list counts as one unreadable part. */
const list = z.array(z.unknown()).nullish().catch([undefined]);
const entry = z.object({
  id,
  time: z.union([z.number(), z.string()]).nullish().catch(undefined),
  changes: list,
  messaging: list,
  standby: list,
});
export type Entry = Omit<z.infer<typeof entry>, "changes"> & { changes?: Change[] | null };

const batch = z.object({ object: z.string(), entry: z.array(z.unknown()) });
/** The shape of every webhook of Meta's platform: a batch of entries, each about one page, account or number. */
export interface Envelope {
  object: string;
  entry: Entry[];
}

/** `isWhole`: every part can be read; unreadable ones are skipped, and lose none of the others. */
export function readEnvelope(given: unknown): { batch: Envelope; isWhole: boolean } | undefined {
  const read = batch.safeParse(given).data;
  if (!read) return undefined;
  let isWhole = true;
  const readable = <Schema extends z.ZodType>(all: unknown[], schema: Schema) =>
    all.flatMap((each): z.infer<Schema>[] => {
      const { data, success } = schema.safeParse(each);
      isWhole &&= success;
      return success ? [data] : [];
    });
  const entries = readable(read.entry, entry).map((each): Entry => {
    const { changes, ...rest } = each;
    return changes ? { ...rest, changes: readable(changes, change) } : rest;
  });
  return { batch: { object: read.object, entry: entries }, isWhole };
}

/** The logins (`Identity.id`) or groups to which a change, or an entry without changes, belongs. */
export type LoginsOf = (entry: Entry, change?: Change) => string[];

/** Splits a batch by login, in order. What belongs to no login is skipped. */
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
export function signedPart(part: Envelope, secret: string): RawWebhook {
  const body = JSON.stringify(part);
  return { path: "", headers: { [SIGNATURE_HEADER]: signatureOf(secret, body) }, body };
}

export const forwarded = (login: string, part: Envelope, secret: string): Forwarded => ({
  login,
  request: signedPart(part, secret),
});
