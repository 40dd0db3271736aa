import type { Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Customer, World } from "../world.ts";
import { listed } from "./api.ts";
import { crmTime } from "./people.ts";

const isFilled = (contragent: Customer["contragent"]): boolean =>
  Object.values(contragent ?? {}).some((value) => value !== "" && value !== null);

function customerOf(customer: Customer, corporateOn: boolean) {
  const names = { firstName: customer.firstName || customer.nickname, lastName: customer.lastName };
  const shared = {
    id: customer.id,
    externalId: customer.externalId,
    createdAt: crmTime(customer.createdAt),
    segments: [],
  };
  if (customer.corporate) return { ...shared, type: "customer_corporate", nickName: customer.nickname };
  return {
    ...shared,
    type: "customer",
    ...names,
    email: customer.email,
    phones: customer.phone ? [{ number: customer.phone }] : [],
    // Only accounts without corporate customers still have it (spec: Customer).
    ...(!corporateOn && customer.contragent && { contragent: customer.contragent }),
  };
}

interface NewCustomer {
  externalId?: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phones?: { number?: string }[];
  contragent?: Record<string, unknown>;
}

export function customerRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const listOf = (corporate: boolean) =>
    [...world.customers.values()]
      .filter((customer) => (customer.corporate ?? false) === corporate)
      .map((customer) => customerOf(customer, world.corporateOn));
  site.get("/api/v5/customers", (c) => listed(c, "customers", listOf(false)));
  site.get("/api/v5/customers-corporate", (c) => listed(c, "customersCorporate", listOf(true)));
  site.get("/api/v5/customers/history", (c) => {
    const changes = world.customerChanges.map(({ id, at, customerId, ...change }) => ({
      id,
      createdAt: crmTime(at),
      customer: { id: customerId, externalId: world.customers.get(customerId)?.externalId ?? "" },
      ...change,
    }));
    return listed(c, "history", changes);
  });
  site.post("/api/v5/customers/create", (c) => {
    const { customer } = bodyOf<{ customer: NewCustomer }>(c);
    return c.json({ success: true, id: newCustomer(gateway, customer).id }, 201);
  });
}

/** A customer that came by no channel. */
function newCustomer({ world, clock }: Gateway, given: NewCustomer): Customer {
  const id = world.nextId();
  const customer: Customer = {
    id,
    channelId: 0,
    externalId: given.externalId ?? "",
    otherIds: [],
    nickname: [given.firstName, given.lastName].filter(Boolean).join(" ") || "Customer",
    firstName: given.firstName ?? "",
    lastName: given.lastName ?? "",
    avatar: "",
    phone: given.phones?.[0]?.number ?? "",
    email: given.email ?? "",
    country: "",
    language: "",
    profileUrl: "",
    utm: null,
    blocked: false,
    contragent: given.contragent,
    createdAt: clock.now(),
    updatedAt: null,
  };
  world.customers.set(id, customer);
  note(world, customer, clock.now(), { field: "id", oldValue: null, newValue: String(id) });
  return customer;
}

type Change = Pick<World["customerChanges"][number], "field" | "oldValue" | "newValue">;

function note(world: World, { id: customerId }: Customer, at: number, change: Change): void {
  world.customerChanges.push({ id: world.nextId(), at, customerId, ...change });
}

/** Customers with contractor data become corporate ones; ids and history stay (spec: States and transitions). */
export function activateCorporate({ world, clock }: Gateway): void {
  if (world.corporateOn) return;
  world.corporateOn = true;
  for (const customer of world.customers.values()) {
    if (!isFilled(customer.contragent)) continue;
    customer.corporate = true;
    note(world, customer, clock.now(), { field: "type", oldValue: "customer", newValue: "customer_corporate" });
  }
}
