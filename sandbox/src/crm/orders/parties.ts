import type { Gateway } from "../../gateway/gateway.ts";
import { CORPORATE } from "../corporate/corporate.ts";
import { customerOfChat } from "../customers/chats.ts";
import { CUSTOMER } from "../customers/customer.ts";
import { type Entry, idOf } from "../records.ts";
import { create, type Writing } from "../resource/resource.ts";
import { BLANK, entityFault } from "../writing.ts";
import { companyIn, contactIn, mainParties } from "./firm.ts";
import { namedIn } from "./named-party.ts";

const NOT_VALID = "This value is not valid.";
export const FIRM = "customer_corporate";
type Party = Entry | undefined;

/** An order with its customer, and a firm's contact and company, after a write. It may create them. Throws a Refusal. */
export function withParties(
  writing: Writing,
  { customer, contact, company }: Entry,
  order: Entry,
  isNew: boolean,
): Entry {
  const known = customer || isNew ? customerOf(writing, customer as Party, order) : (order.customer as Party);
  // Contact and company are of the former customer.
  const isOther = known && idOf(known) !== idOf(order.customer);
  const own = {
    ...order,
    ...(isOther && { contact: undefined, company: undefined }),
    ...(known && { customer: known }),
  };
  if (known?.type !== FIRM) return own;
  const { gateway } = writing;
  return {
    ...own,
    ...(isNew && gateway.unknowns().orderMainParties && mainParties(gateway, known)),
    ...(contact !== undefined && { contact: contactIn(writing, known, contact as Entry) }),
    ...(company !== undefined && { company: companyIn(writing, known, company as Entry) }),
  };
}

/** That an order names, or makes: of its chat, of the given data, or of the order's own. */
function customerOf(writing: Writing, given: Party, order: Entry): Party {
  if (!given) return ofChat(writing.gateway, order) ?? ofOrder(writing, order);
  const { world } = writing.gateway;
  // A customer without a type is a person (spec: Order).
  const { type, ...data } = given;
  if (type === FIRM && !world.corporateOn) throw entityFault("order", "customer.type", NOT_VALID);
  const { customers, corporate } = world.tables;
  const known = namedIn(type === FIRM ? corporate : customers, given, "customer", writing.site);
  if (known) return referenceTo(known);
  if (type !== FIRM)
    return Object.keys(data).length === 0 ? ofOrder(writing, order) : referenceTo(create(CUSTOMER, writing, data));
  if (!data.nickName) throw entityFault("order", "customer.nickName", BLANK);
  return referenceTo(create(CORPORATE, writing, data));
}

const referenceTo = ({ type, id }: Entry): Entry => ({ type, id });

function ofChat(gateway: Gateway, { dialogId }: Entry): Party {
  if (dialogId === undefined) return undefined;
  const customer = customerOfChat(gateway, chatOf(gateway, dialogId).customerId);
  return customer && referenceTo(customer);
}

/** Throws a Refusal. */
export function chatOf({ world }: Gateway, dialogId: unknown) {
  for (const chat of world.chats.values()) if (chat.dialogs.some(({ id }) => id === dialogId)) return chat;
  throw entityFault("order", "dialogId", NOT_VALID);
}

function ofOrder(writing: Writing, { firstName, lastName, patronymic, email, phone, additionalPhone }: Entry): Party {
  const phones = [phone, additionalPhone].filter(Boolean).map((number) => ({ number }));
  const given = Object.entries({ firstName, lastName, patronymic, email }).filter(([, value]) => value);
  if (given.length + phones.length === 0) return undefined;
  return referenceTo(create(CUSTOMER, writing, { ...Object.fromEntries(given), phones }));
}
