import type { Entry } from "../records.ts";

/** Who changes a record: a key of the API, a user of the CRM, or the CRM itself. */
export type Actor =
  | { source: "api"; key: string }
  | { source: "user"; user: number }
  | { source: "code" | "rule" | "combine" | "split" };

/** An entry of a history: one field of one record, changed at one time. */
export interface Change {
  id: number;
  createdAt: string;
  by: Actor;
  /** The changed record's id. */
  of: number;
  field: string;
  oldValue: unknown;
  newValue: unknown;
  created?: true;
  deleted?: true;
  /** The record as it was created, or before it was deleted. */
  was?: Entry;
  /** Further fields: the address, the item, what it was combined to. */
  more?: Entry;
}
