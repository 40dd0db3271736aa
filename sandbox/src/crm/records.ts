import { Refusal } from "../refusal.ts";

/** A record of the CRM as its API shows it. */
export type Entry = Record<string, unknown>;
/** By code, or by id where records have no code. */
export type Entries = Map<string, Entry>;

/** What the CRM keeps beside chats. */
export interface Records {
  customerChanges: CustomerChange[];
  /** `/api/v5/reference/…`, by the dictionary's path. */
  dictionaries: Map<string, Entries>;
  /** By entity and code: `order/gift`. */
  customFields: Entries;
  customDictionaries: Entries;
  tasks: Entries;
  /** Calls to modules, oldest first. */
  callbacks: Callback[];
}
/** A call to a module, however often it was attempted. */
export interface Callback {
  at: number;
  /** The module's code. */
  module: string;
  action: string;
  /** `dropped`: a later call tells the same, or there is nothing to tell any more; `malformed`: the answer breaks the contract. */
  state: "waiting" | "done" | "refused" | "malformed" | "unanswered" | "dropped";
  attempts: number;
  /** Of the last attempt; 0: no answer. */
  status: number;
  answer: string;
}
/** An entry of `GET /api/v5/customers/history`. */
export interface CustomerChange {
  id: number;
  at: number;
  customerId: number;
  field: string;
  oldValue: string | null;
  newValue: string | null;
}

/** Throws a Refusal with 404. `rule` says what must be there. */
export function found<T>(records: ReadonlyMap<string, T>, key: string, rule: string): T {
  const record = records.get(key);
  if (!record) throw new Refusal(404, "Not found", rule);
  return record;
}
