import type { ValidateFunction } from "ajv";
import { contractAjv } from "../judge.ts";
import type { Json } from "../spec.ts";
import type { Line } from "./line.ts";

// What a record of an archive is like: the contract's schema, and what the account keeps besides or cannot do without.

const TEXT = { type: "string" };
const ID = { type: "integer", minimum: 1 };
const FLAG = { type: "boolean" };
const NUMBER = { type: "number" };
/** A time that a date can have. */
const MS = { type: "number", minimum: 0, maximum: 8.64e15 };
const listOf = (items: Json): Json => ({ type: "array", items });
/** With fields that may be missing, and others that may not. */
const having = (required: Json, optional: Json = {}): Json => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
});
const orNull = (schema: Json): Json => ({ anyOf: [schema, { type: "null" }] });
const whole = (schema: string): Json => ({ $ref: `crm-whole#/components/schemas/${schema}` });
const extra = (schema: string): Json => ({ $ref: `crm-extra#/components/schemas/${schema}` });
const both = (...allOf: Json[]): Json => ({ allOf });

const REFERENCE = having({ id: ID });
const NOTE = both(whole("CustomerNote"), having({ text: TEXT, customer: REFERENCE }));
const PARTY = {
  mgCustomers: listOf(REFERENCE),
  tags: listOf(having({ name: TEXT })),
  segments: listOf(having({ code: TEXT })),
  firstOrderAt: TEXT,
  lastOrderAt: TEXT,
};
const CONTACT = having({ id: ID, customer: REFERENCE }, { companies: listOf(having({ company: REFERENCE })) });
const ITEM = having({ id: ID, quantity: NUMBER, initialPrice: NUMBER }, { offer: REFERENCE, externalIds: listOf({}) });
const OFFER = having(
  { id: ID, prices: listOf(having({ priceType: TEXT, price: NUMBER })) },
  {
    stores: listOf(having({ store: TEXT, quantity: NUMBER })),
    properties: { type: "object", additionalProperties: TEXT },
    images: listOf(TEXT),
    unit: having({ code: TEXT }),
  },
);
const SPEAKER = having({ type: { enum: ["bot", "channel", "customer", "user"] }, id: NUMBER });
const UTM = having({}, { source: TEXT, medium: TEXT, campaign: TEXT, term: TEXT, content: TEXT });
const STAMPS = { createdAt: MS, updatedAt: orNull(MS) };
const COMMAND = having({ id: ID, name: TEXT, description: TEXT, ...STAMPS });
const DIALOG = having({
  ...{ id: ID, chatId: ID, closedAt: orNull(MS), assignedAt: orNull(MS), responsible: orNull(SPEAKER) },
  tags: listOf(having({ name: TEXT, color_code: TEXT })),
  ...{ beginMessageId: orNull(ID), endingMessageId: orNull(ID), utm: orNull(UTM) },
  ...STAMPS,
});
const STATUSES = ["sending", "sent", "received", "seen", "failed", "undefined"];
const CHANGE = having(
  { createdAt: TEXT, of: ID, field: TEXT, by: having({ source: TEXT }, { key: TEXT, user: NUMBER }) },
  { more: { type: "object" }, created: { const: true }, deleted: { const: true } },
);
const BOOK = both(whole("CustomDictionary"), having({ code: TEXT }, { elements: listOf(having({ code: TEXT })) }));

export const RECORDS: Record<string, Json> = {
  customers: both(whole("Customer"), having({}, PARTY)),
  customerNotes: NOTE,
  corporate: both(
    whole("CustomerCorporate"),
    having(
      {},
      { ...PARTY, addresses: listOf(REFERENCE), companies: listOf(REFERENCE), customerContacts: listOf(CONTACT) },
    ),
  ),
  corporateNotes: NOTE,
  tasks: both(
    whole("Task"),
    having({ text: TEXT, performer: NUMBER, complete: FLAG }, { customer: REFERENCE, order: REFERENCE }),
  ),
  taskComments: both(
    extra("TaskComment"),
    having({ task: ID, text: TEXT, creator: NUMBER, createdAt: TEXT }, { updatedAt: TEXT }),
  ),
  orders: both(
    whole("Order"),
    having(
      { number: TEXT, status: TEXT, createdAt: TEXT, items: listOf(ITEM) },
      {
        payments: listOf(REFERENCE),
        statuses: listOf(TEXT),
        customer: REFERENCE,
        contact: REFERENCE,
        company: REFERENCE,
      },
    ),
  ),
  packs: both(whole("Pack"), having({ itemId: ID, orderId: ID, store: TEXT, quantity: NUMBER })),
  products: both(whole("Product"), having({ name: TEXT, groups: listOf({ type: "object" }), offers: listOf(OFFER) })),
  productGroups: both(whole("ProductGroup"), having({ name: TEXT })),
  segments: both(whole("Segment"), having({ code: TEXT, isDynamic: FLAG }, { rule: { type: "object" } })),
  files: both(
    whole("File"),
    having({
      filename: TEXT,
      type: TEXT,
      createdAt: TEXT,
      size: NUMBER,
      kept: TEXT,
      attachment: listOf(having({}, { customer: REFERENCE, order: REFERENCE })),
    }),
  ),
  shipments: both(whole("DeliveryShipment"), having({ deliveryType: TEXT, status: TEXT, orders: listOf(REFERENCE) })),
  "reference/stores": whole("Store"),
  "reference/couriers": whole("Courier"),
  "reference/units": whole("Unit"),
  "reference/status-groups": extra("StatusGroup"),
  "reference/cost-groups": extra("CostGroup"),
  "reference/cost-items": extra("CostItem"),
  "reference/delivery-services": extra("DeliveryService"),
  "reference/delivery-types": extra("DeliveryType"),
  "reference/order-methods": extra("OrderMethod"),
  "reference/order-types": extra("OrderType"),
  "reference/payment-statuses": extra("PaymentStatus"),
  "reference/payment-types": extra("PaymentType"),
  "reference/price-types": extra("PriceType"),
  "reference/sites": extra("Site"),
  "reference/statuses": extra("OrderStatus"),
  "reference/product-statuses": extra("OrderProductStatus"),
  customFields: both(whole("CustomField"), having({ code: TEXT, entity: TEXT, type: TEXT })),
  customDictionaries: BOOK,
  productProperties: both(whole("ProductProperty"), having({ code: TEXT })),
  userGroups: both(extra("UserGroup"), having({ code: TEXT })),
  combined: ID,
  keys: having({ scopes: listOf(TEXT), credentials: listOf(TEXT) }),
  users: having({
    ...{ externalId: TEXT, firstName: TEXT, lastName: TEXT, username: TEXT, email: TEXT, token: TEXT, status: TEXT },
    ...{ isAdmin: FLAG, online: FLAG, connected: FLAG, available: FLAG, active: FLAG, technical: FLAG },
    groups: listOf(TEXT),
    revokedAt: orNull(MS),
    ...STAMPS,
  }),
  modules: having(
    {
      registration: { $ref: "crm#/components/schemas/IntegrationModuleEdit" },
      token: TEXT,
      active: FLAG,
      freeze: FLAG,
    },
    { deliveryType: TEXT },
  ),
  bots: having({
    ...{ moduleCode: TEXT, name: TEXT, avatarUrl: TEXT, active: FLAG, roles: listOf(TEXT) },
    commands: listOf({ type: "array", minItems: 2, maxItems: 2, prefixItems: [TEXT, COMMAND] }),
    deactivatedAt: orNull(MS),
    ...STAMPS,
  }),
  channels: having({
    ...{ moduleCode: TEXT, type: TEXT, name: TEXT, avatarUrl: TEXT, externalId: orNull(TEXT), active: FLAG },
    settings: { $ref: "gateway#/components/schemas/ChannelSettings" },
    ...{ activatedAt: MS, deactivatedAt: orNull(MS) },
    ...STAMPS,
  }),
  templates: having({
    id: ID,
    channelId: ID,
    code: orNull(TEXT),
    enabled: FLAG,
    type: TEXT,
    body: having({ name: TEXT }),
  }),
  "chat-customers": having({
    ...{ channelId: ID, externalId: TEXT, nickname: TEXT, firstName: TEXT, lastName: TEXT, avatar: TEXT, phone: TEXT },
    ...{ email: TEXT, country: TEXT, language: TEXT, profileUrl: TEXT, blocked: FLAG, otherIds: listOf(TEXT) },
    utm: orNull(UTM),
    ...STAMPS,
  }),
  chats: having({
    ...{ channelId: ID, customerId: ID, externalId: TEXT, otherIds: listOf(TEXT), author: SPEAKER },
    ...{ lastActivity: MS, replyDeadline: orNull(MS) },
    members: listOf(having({ id: ID, speaker: SPEAKER, state: { enum: ["active", "kicked", "leaved"] }, ...STAMPS })),
    dialogs: listOf(DIALOG),
    ...STAMPS,
  }),
  messages: having(
    {
      ...{ chatId: ID, channelId: ID, from: SPEAKER, type: TEXT, text: TEXT, note: TEXT },
      ...{ scope: { enum: ["public", "private", "undefined"] }, status: { enum: STATUSES } },
      items: listOf(having({ id: TEXT }, { caption: TEXT })),
      suggestions: listOf(having({ type: TEXT }, { title: TEXT, payload: TEXT })),
      reactions: listOf(having({ by: SPEAKER, content: TEXT, at: MS })),
      ...{ edited: FLAG, deleted: FLAG, mass: FLAG, time: MS, sentAt: orNull(MS) },
      ...STAMPS,
    },
    {
      ...{
        externalId: TEXT,
        dialogId: ID,
        quoteId: ID,
        action: TEXT,
        responsible: SPEAKER,
        editedAt: MS,
        pageLink: TEXT,
      },
      template: having({ code: TEXT, args: listOf(TEXT), variables: { type: "object" } }, { category: TEXT }),
      error: having({ code: TEXT }, { message: TEXT }),
    },
  ),
  "file-bytes": having({ id: TEXT, name: TEXT, mediaType: TEXT, bytes: TEXT }),
  notifications: having({ at: MS, type: TEXT, message: TEXT, to: TEXT }),
};

const schemaOf = (table: string): Json | undefined => {
  const [, history] = /^history\/(.+)$/.exec(table) ?? [];
  if (history)
    return both(CHANGE, having({}, { was: RECORDS[history === "customers-corporate" ? "corporate" : history] ?? {} }));
  return RECORDS[table] ?? (table.startsWith("reference/") ? having({ code: TEXT }) : undefined);
};

const checks = new Map<string, ValidateFunction>();

function checkOf(table: string): ValidateFunction | undefined {
  const known = checks.get(table);
  const schema = schemaOf(table);
  if (known || !schema) return known;
  const check = contractAjv().compile(schema);
  checks.set(table, check);
  return check;
}

/** What is wrong with a record, by its first field: `phones.0.number must be string`. */
export function shapeFault({ table, key, record }: Line): string | undefined {
  const check = checkOf(table);
  if (check && !check(record)) {
    const { instancePath = "", message = "is wrong" } = check.errors?.[0] ?? {};
    return `${instancePath.slice(1).replaceAll("/", ".") || "the record"} ${message}`;
  }
  if (!table.startsWith("reference/")) return undefined;
  const { code, id } = record as { code?: unknown; id?: unknown };
  return key === String(code ?? id) ? undefined : "the key is not the record's code";
}
