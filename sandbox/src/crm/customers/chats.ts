import type { Gateway } from "../../gateway/gateway.ts";
import type { Customer } from "../../world.ts";
import type { Entry } from "../records.ts";
import { defaultShop } from "../reference/defaults.ts";
import { keep, writingBy } from "../resource/resource.ts";
import { crmTime } from "../times.ts";
import { CUSTOMER } from "./customer.ts";

/** The CRM's customer of somebody who writes in a messenger for the first time. */
export function introduce(gateway: Gateway, chatting: Customer): void {
  const { id, firstName, lastName, nickname, phone, email, createdAt } = chatting;
  const entry: Entry = {
    type: "customer",
    id,
    isContact: false,
    vip: false,
    bad: false,
    createdAt: crmTime(createdAt),
    site: defaultShop(gateway.world),
    firstName: firstName || nickname,
    ...(lastName && { lastName }),
    ...(email && { email }),
    phones: phone ? [{ number: phone }] : [],
    mgCustomers: [{ id }],
  };
  keep(CUSTOMER, writingBy(gateway, { source: "code" }), entry);
}

/** The CRM's customer of a chat's; it may have become a corporate one. */
export function customerOfChat({ world: { tables } }: Gateway, chatting: number): Entry | undefined {
  const found = [tables.customers, tables.corporate].flatMap(({ rows, having }) =>
    having("mgCustomers.id", chatting).map((id) => rows.get(id)),
  );
  return found[0];
}

/** The chats of both. */
export function withChatsOf(from: Entry, into: Entry): Entry {
  const chats = [...((into.mgCustomers ?? []) as Entry[]), ...((from.mgCustomers ?? []) as Entry[])];
  return chats.length > 0 ? { ...into, mgCustomers: chats } : into;
}
