import type { Entries } from "./records.ts";
import type { Change } from "./resource/change.ts";
import type { Journal } from "./resource/journal.ts";
import { createTable, type Table } from "./resource/table.ts";

/** The CRM's tables, each with the fields by which its records are found without a scan. */
const TABLES = {
  customers: ["externalId", "mgCustomers.id"],
  customerNotes: ["customer.id"],
  corporate: ["externalId", "customerContacts.customer.id", "mgCustomers.id"],
  corporateNotes: ["customer.id"],
  tasks: ["customer.id", "order.id"],
  taskComments: ["task"],
  orders: [
    ...["externalId", "number", "customer.id", "contact.id", "company.id", "payments.id", "payments.externalId"],
    ...["delivery.data.externalId", "links.order.id"],
  ],
  packs: ["orderId"],
  products: ["externalId", "url", "offers.id", "offers.externalId", "offers.xmlId"],
  productGroups: ["externalId"],
  segments: ["code"],
  files: ["attachment.customer.id", "attachment.order.id"],
  shipments: ["externalId", "orders.id"],
} as const satisfies Record<string, readonly string[]>;
export type TableName = keyof typeof TABLES;
export type Tables = Record<TableName, Table>;

export const createTables = (journal: Journal): Tables =>
  Object.fromEntries(Object.entries(TABLES).map(([name, indexed]) => [name, createTable(journal, indexed)])) as Tables;

/** What the CRM keeps beside chats. */
export interface Records {
  tables: Tables;
  /** Of the tables and the histories. */
  journal: Journal;
  /** Ascending ids, by the history's name. */
  histories: Map<string, Change[]>;
  /** The id that a record was combined into, by table and id: `customers/7`. */
  combined: Map<string, number>;
  /** `/api/v5/reference/…`, by the dictionary's path. */
  dictionaries: Map<string, Entries>;
  /** By entity and code: `order/gift`. */
  customFields: Entries;
  customDictionaries: Entries;
  /** By code; what offers have besides is known by its code alone. */
  productProperties: Entries;
  /** By code. */
  userGroups: Entries;
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
