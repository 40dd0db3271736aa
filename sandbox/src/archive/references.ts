import type { Entry } from "../crm/records.ts";
import { reading } from "../crm/resource/reading.ts";
import type { TableName } from "../crm/tables.ts";
import type { World } from "../world.ts";
import type { Line } from "./line.ts";

// What records of an archive refer to: it must be in the archive, or in the account that it is added to.

/** What can be referred to, and how a fault calls it. */
const NAMES = {
  customer: "customer",
  person: "customer",
  firm: "corporate customer",
  order: "order",
  task: "task",
  offer: "offer",
  group: "product group",
  user: "user",
  channel: "channel",
  "chat customer": "customer of a chat",
  chat: "chat",
  site: "site",
  status: "status",
  "order type": "order type",
  "order method": "order method",
  "delivery type": "delivery type",
  store: "store",
  "item status": "status of items",
  "payment type": "payment type",
  "payment status": "payment status",
} as const;
type Kind = keyof typeof NAMES;

/** By table: paths of fields, each with what it refers to. */
const REFERENCES: Record<string, Record<string, Kind>> = {
  customers: { site: "site", managerId: "user", "mgCustomers.id": "chat customer" },
  customerNotes: { "customer.id": "person", managerId: "user" },
  corporate: { site: "site", managerId: "user", "customerContacts.customer.id": "customer" },
  corporateNotes: { "customer.id": "firm", managerId: "user" },
  tasks: { "customer.id": "customer", "order.id": "order", performer: "user", creator: "user" },
  taskComments: { task: "task", creator: "user" },
  orders: {
    site: "site",
    "customer.id": "customer",
    "contact.id": "customer",
    managerId: "user",
    status: "status",
    orderType: "order type",
    orderMethod: "order method",
    "delivery.code": "delivery type",
    shipmentStore: "store",
    "items.offer.id": "offer",
    "items.status": "item status",
    "payments.type": "payment type",
    "payments.status": "payment status",
  },
  packs: { orderId: "order", store: "store" },
  products: { "groups.id": "group", "offers.stores.store": "store" },
  productGroups: { site: "site", parentId: "group" },
  files: { "attachment.customer.id": "customer", "attachment.order.id": "order" },
  shipments: { "orders.id": "order", store: "store", deliveryType: "delivery type", managerId: "user" },
  "chat-customers": { channelId: "channel" },
  chats: { channelId: "channel", customerId: "chat customer" },
  messages: { channelId: "channel", chatId: "chat" },
  templates: { channelId: "channel" },
};

/** Where what is referred to stands: a table, and the field that names its records. */
const HOMES: Record<Kind, [table: string, field: string][]> = {
  customer: [
    ["customers", "id"],
    ["corporate", "id"],
  ],
  person: [["customers", "id"]],
  firm: [["corporate", "id"]],
  order: [["orders", "id"]],
  task: [["tasks", "id"]],
  offer: [["products", "offers.id"]],
  group: [["productGroups", "id"]],
  user: [["users", "externalId"]],
  channel: [["channels", "id"]],
  "chat customer": [["chat-customers", "id"]],
  chat: [["chats", "id"]],
  site: [["reference/sites", "code"]],
  status: [["reference/statuses", "code"]],
  "order type": [["reference/order-types", "code"]],
  "order method": [["reference/order-methods", "code"]],
  "delivery type": [["reference/delivery-types", "code"]],
  store: [["reference/stores", "code"]],
  "item status": [["reference/product-statuses", "code"]],
  "payment type": [["reference/payment-types", "code"]],
  "payment status": [["reference/payment-statuses", "code"]],
};

export interface NumberedLine extends Line {
  /** In the archive. */
  number: number;
}
type Known = (kind: Kind) => ReadonlySet<string>;

const isName = (value: unknown): boolean => value !== undefined && value !== "";

/** The names that stand at a path of a record. */
function namesAt(path: string): (record: unknown) => string[] {
  const read = reading(path);
  return (record) => {
    const value = read(record as Entry);
    if (Array.isArray(value)) return value.flat().filter(isName).map(String);
    return isName(value) ? [String(value)] : [];
  };
}

/**
 * The first line that refers to nothing, and its field. `replaced`: the archive takes the account's place, but for entries
 * of its dictionaries.
 */
export function danglingIn(world: World, lines: ReadonlyMap<string, NumberedLine[]>, replaced: boolean) {
  const sets = new Map<Kind, ReadonlySet<string>>();
  const known: Known = (kind) => {
    const set = sets.get(kind) ?? new Set(HOMES[kind].flatMap(([table, field]) => namesIn(table, field)));
    sets.set(kind, set);
    return set;
  };
  const namesIn = (table: string, field: string): string[] => {
    const stays = !replaced || table.startsWith("reference/");
    const records = [
      ...(stays ? recordsOf(world, table) : []),
      ...(lines.get(table) ?? []).map(({ record }) => record),
    ];
    return records.flatMap(namesAt(field));
  };
  const faults = [...lines.entries()].flatMap(([table, own]) => firstOf(own, REFERENCES[table] ?? {}, known));
  const cycle = cycleIn(world, lines.get("productGroups") ?? [], replaced);
  return [...faults, ...(cycle ? [cycle] : [])].sort((one, other) => one.number - other.number)[0];
}

export interface Fault {
  number: number;
  words: string;
}

function firstOf(lines: readonly NumberedLine[], references: Record<string, Kind>, known: Known): Fault[] {
  const checks = Object.entries(references).map(([path, kind]) => ({ path, kind, read: namesAt(path) }));
  for (const { number, record } of lines)
    for (const { path, kind, read } of checks) {
      const missing = read(record).find((name) => !known(kind).has(name));
      if (missing !== undefined) return [{ number, words: `${path}: there is no ${NAMES[kind]} ${missing}` }];
    }
  return [];
}

function recordsOf(world: World, table: string): unknown[] {
  const maps: Record<string, Map<unknown, unknown>> = {
    users: world.users,
    channels: world.channels,
    "chat-customers": world.customers,
    chats: world.chats,
  };
  const [, dictionary] = /^reference\/(.+)$/.exec(table) ?? [];
  const kept = dictionary === undefined ? maps[table] : world.dictionaries.get(dictionary);
  return [...(kept ?? world.tables[table as TableName].rows).values()];
}

/** A group above itself would be shown without end. */
function cycleIn({ tables }: World, lines: readonly NumberedLine[], replaced: boolean): Fault | undefined {
  const parents = new Map(
    replaced ? [] : [...tables.productGroups.rows.values()].map(({ id, parentId }) => [id, parentId]),
  );
  for (const { id, parentId } of lines.map(({ record }) => record as Entry)) parents.set(id, parentId);
  for (const { number, record } of lines) {
    const above = new Set<unknown>();
    for (let at: unknown = (record as Entry).id; at !== undefined; at = parents.get(at)) {
      if (above.has(at)) return { number, words: "parentId: the group is above itself" };
      above.add(at);
    }
  }
  return undefined;
}
