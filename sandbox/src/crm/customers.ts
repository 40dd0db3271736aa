import type { Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { Refusal } from "../refusal.ts";
import type { Customer, World } from "../world.ts";
import { containing, flagged, from, type ListFilters, listed, oneOf, upTo } from "./listing.ts";
import { crmTime } from "./people.ts";
import type { CustomerChange } from "./records.ts";

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
    ...(customer.sex && { sex: customer.sex }),
    email: customer.email,
    phones: customer.phone ? [{ number: customer.phone }] : [],
    // Only in accounts without corporate customers (spec: Customer).
    ...(!corporateOn && customer.contragent && { contragent: customer.contragent }),
  };
}

interface NewCustomer {
  externalId?: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phones?: { number?: string }[];
  sex?: string;
  contragent?: Record<string, unknown>;
}

/** All that a search by name looks at. */
export const namesOf = ({ nickname, firstName, lastName }: Customer) => `${firstName} ${lastName} ${nickname}`;

const contragent = (field: string) => (customer: Customer) => customer.contragent?.[field];
const CONTRAGENT: ListFilters<Customer> = {
  contragentName: containing((customer) => String(contragent("legalName")(customer) ?? "")),
  contragentTypes: oneOf(contragent("contragentType")),
  contragentInn: oneOf(contragent("INN")),
  contragentKpp: oneOf(contragent("KPP")),
  contragentBik: oneOf(contragent("BIK")),
  contragentCorrAccount: oneOf(contragent("corrAccount")),
  contragentBankAccount: oneOf(contragent("bankAccount")),
};
const ANY: ListFilters<Customer> = {
  ids: oneOf(({ id }) => id),
  externalIds: oneOf(({ externalId }) => externalId),
  dateFrom: from(({ createdAt }) => createdAt),
  dateTo: upTo(({ createdAt }) => createdAt),
};
const CUSTOMERS: ListFilters<Customer> = {
  ...ANY,
  name: containing(namesOf),
  email: containing(({ email }) => email),
  // The sandbox never presumes a sex.
  sex:
    ([wanted = ""]) =>
    ({ sex }) =>
      sex === wanted.replace("_with_presumable", ""),
  mgChannels: oneOf(({ channelId }) => channelId),
  mgCustomerId: oneOf(({ id, channelId }) => (channelId ? id : undefined)),
  isContact: flagged(() => false),
};
const CORPORATE: ListFilters<Customer> = { ...ANY, ...CONTRAGENT, nickName: oneOf(({ nickname }) => nickname) };
const HISTORY: ListFilters<CustomerChange & { externalId: string }> = {
  customerId: oneOf(({ customerId }) => customerId),
  customerExternalId: oneOf(({ externalId }) => externalId),
  sinceId:
    ([since]) =>
    ({ id }) =>
      id > Number(since),
  startDate: from(({ at }) => at),
  endDate: upTo(({ at }) => at),
};

export function customerRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const listOf = (corporate: boolean) =>
    [...world.customers.values()].filter((customer) => (customer.corporate ?? false) === corporate);
  const shown = (customer: Customer) => customerOf(customer, world.corporateOn);
  site.get("/api/v5/customers", (c) => {
    // Contractor data and its filters exist only without corporate customers (spec: Customer).
    const supported = world.corporateOn ? CUSTOMERS : { ...CUSTOMERS, ...CONTRAGENT };
    return listed(c, { name: "customers", entries: listOf(false), supported, shown });
  });
  site.get("/api/v5/customers-corporate", (c) =>
    listed(c, { name: "customersCorporate", entries: listOf(true), supported: CORPORATE, shown }),
  );
  site.get("/api/v5/customers/history", (c) => {
    if (c.req.query("page") && c.req.query("filter[sinceId]"))
      throw new Refusal(400, "?page does not go with filter[sinceId]", "history pages by sinceId or by page");
    const entries = world.customerChanges.map((change) => ({
      ...change,
      externalId: world.customers.get(change.customerId)?.externalId ?? "",
    }));
    return listed(c, { name: "history", entries, supported: HISTORY, shown: changeOf });
  });
  site.post("/api/v5/customers/create", (c) => {
    const { customer } = bodyOf<{ customer: NewCustomer }>(c);
    return c.json({ success: true, id: newCustomer(gateway, customer).id }, 201);
  });
}

const changeOf = ({ id, at, customerId, externalId, ...change }: CustomerChange & { externalId: string }) => ({
  id,
  createdAt: crmTime(at),
  customer: { id: customerId, externalId },
  ...change,
});

/** A customer without a channel. */
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
    sex: given.sex,
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

/** Turns customers with contractor data into corporate ones; ids and history stay (spec: States and transitions). */
export function activateCorporate({ world, clock }: Gateway): void {
  if (world.corporateOn) return;
  world.corporateOn = true;
  for (const customer of world.customers.values()) {
    if (!isFilled(customer.contragent)) continue;
    customer.corporate = true;
    note(world, customer, clock.now(), { field: "type", oldValue: "customer", newValue: "customer_corporate" });
  }
}
