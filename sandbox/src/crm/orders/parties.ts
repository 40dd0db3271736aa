import type { Gateway } from "../../gateway/gateway.ts";
import { customerOfChat } from "../customers/chats.ts";
import { CUSTOMER } from "../customers/customer.ts";
import type { Entry } from "../records.ts";
import { create, type Writing } from "../resource/resource.ts";
import { entityFault } from "../writing.ts";

const NOT_VALID = "This value is not valid.";
const NAMES = ["id", "externalId"] as const;

/** The customer that an order names, or makes: of its chat, of the given data, or of the order's own. Throws a Refusal. */
export function customerOf(writing: Writing, given: Entry | undefined, order: Entry): Entry | undefined {
  if (!given) return ofChat(writing.gateway, order) ?? ofOrder(writing, order);
  const name = NAMES.find((each) => given[each] !== undefined);
  if (name) return referenceTo(knownCustomer(writing.gateway, given, name));
  const { type: _, ...data } = given;
  return Object.keys(data).length === 0 ? ofOrder(writing, order) : referenceTo(create(CUSTOMER, writing, data));
}

const referenceTo = ({ type, id }: Entry): Entry => ({ type, id });

/** Throws a Refusal. */
function knownCustomer({ world }: Gateway, given: Entry, name: "id" | "externalId"): Entry {
  const { rows, having } = world.tables.customers;
  const ids = name === "id" ? [Number(given.id)] : having("externalId", given.externalId);
  const known = ids.map((id) => rows.get(id)).find((each) => each !== undefined);
  if (!known) throw entityFault("order", `customer.${name}`, `Customer with ${name}=${given[name]} not found.`);
  return known;
}

function ofChat(gateway: Gateway, { dialogId }: Entry): Entry | undefined {
  if (dialogId === undefined) return undefined;
  const customer = customerOfChat(gateway, chatOf(gateway, dialogId).customerId);
  return customer && referenceTo(customer);
}

/** Throws a Refusal. */
export function chatOf({ world }: Gateway, dialogId: unknown) {
  for (const chat of world.chats.values()) if (chat.dialogs.some(({ id }) => id === dialogId)) return chat;
  throw entityFault("order", "dialogId", NOT_VALID);
}

function ofOrder(writing: Writing, { firstName, lastName, patronymic, email, phone, additionalPhone }: Entry) {
  const phones = [phone, additionalPhone].filter(Boolean).map((number) => ({ number }));
  const given = Object.entries({ firstName, lastName, patronymic, email }).filter(([, value]) => value);
  if (given.length + phones.length === 0) return undefined;
  return referenceTo(create(CUSTOMER, writing, { ...Object.fromEntries(given), phones }));
}
