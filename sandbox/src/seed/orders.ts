import { ORDER, reckoned } from "../crm/orders/order.ts";
import { summed } from "../crm/orders/sums.ts";
import type { Entry } from "../crm/records.ts";
import { crmTime } from "../crm/times.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Shelves } from "./catalogue.ts";
import { type Buyer, type Buyers, BY_API } from "./customers.ts";
import type { Draw } from "./draw.ts";
import { itemsOf } from "./items.ts";
import type { History, Log } from "./log.ts";
import { sourceOf } from "./people.ts";
import { stepsOf } from "./steps.ts";
import { CUSTOMER_COMMENTS, MANAGER_COMMENTS } from "./words.ts";

export interface Ordering {
  count: number;
  /** When the first one comes, and when all is as the account shows it, ms. */
  from: number;
  to: number;
  shelves: Shelves;
  managers: readonly number[];
}

/** Adds orders in order of time: each is taken in, and goes on until now as orders do. */
export function fillOrders(gateway: Gateway, draw: Draw, log: Log, buyers: Buyers, ordering: Ordering): void {
  const { count, from, to, managers } = ordering;
  const { orders } = gateway.world.tables;
  let known = 0;
  for (let n = 0; n < count; n++) {
    // The shop grows: half of the orders are of the last quarter.
    const at = to - (to - from) * (1 - (n + draw.share()) / count) ** 2;
    while ((buyers.all[known]?.at ?? to) < at) known += 1;
    // Those who came first have ordered most.
    const buyer = buyers.all[Math.floor(known * draw.share() ** 1.6)] as Buyer;
    const taken = takenIn(gateway, draw, { n, at, buyer: buyer.entry, buyers, ordering });
    const by = taken.fromApi === true ? BY_API : { source: "user" as const, user: draw.one(managers) };
    log.add(ORDER.history as History, at, by, taken);
    let order = taken;
    for (const step of stepsOf(draw, order, at, managers)) {
      if (step.at >= to) break;
      const change = step.change(order);
      const plain = { ...order, ...change };
      const after = change.payments ? summed(plain) : plain;
      log.add(ORDER.history as History, step.at, step.by, after, order);
      order = after;
    }
    orders.put(order);
  }
}

interface Taking {
  n: number;
  at: number;
  buyer: Entry;
  buyers: Buyers;
  ordering: Ordering;
}

/** The order as it begins. */
function takenIn(gateway: Gateway, draw: Draw, { n, at, buyer, buyers, ordering }: Taking): Entry {
  const [id, createdAt, site] = [gateway.world.nextId(), crmTime(at), String(buyer.site)];
  const isFirm = buyer.type !== "customer";
  const fromApi = !isFirm || draw.chance(0.5);
  const items = itemsOf(gateway.world, draw, { offers: ordering.shelves[site] ?? [], createdAt, wholesale: isFirm });
  const payment = {
    id: gateway.world.nextId(),
    type: isFirm ? "transfer" : draw.one(["bank-card", "bank-card", "cash"]),
  };
  const payments = [{ ...payment, status: "not-paid", amount: 0 }];
  const order = reckoned(gateway, false, {
    id,
    createdAt,
    site,
    number: `${id}${fromApi ? "A" : "C"}`,
    externalId: `o${n + 1}`,
    fromApi,
    orderType: isFirm ? "wholesale" : "main",
    orderMethod: fromApi ? "shopping-cart" : draw.one(["phone", "messenger"]),
    privilegeType: "none",
    status: "new",
    statusUpdatedAt: createdAt,
    statuses: ["new"],
    call: false,
    expired: false,
    shipped: false,
    ...partiesOf(buyer, buyers),
    ...(draw.chance(0.1) && { discountManualPercent: draw.one([5, 10]) }),
    ...(draw.chance(0.2) && {
      customerComment: draw.one(CUSTOMER_COMMENTS),
      managerComment: draw.one(MANAGER_COMMENTS),
      source: sourceOf(draw),
      customFields: { gift_wrap: draw.chance(0.3) },
    }),
    delivery: deliveryOf(draw, buyer, at),
    items,
    payments,
  });
  return { ...order, payments: [{ ...payments[0], amount: order.totalSumm }] };
}

/** Who orders: a person, or a firm with its main contact and company. */
function partiesOf(buyer: Entry, buyers: Buyers): Entry {
  const { id, type } = buyer;
  if (type === "customer") return { ...namesOf(buyer), customer: { type, id } };
  const [company] = buyer.companies as Entry[];
  const [link] = buyer.customerContacts as { customer: Entry }[];
  const contact = link?.customer ?? {};
  return {
    ...namesOf(buyers.ofId(contact.id) ?? {}),
    customer: { type, id },
    contact,
    company: { id: company?.id },
    contragent: contragentOf(company?.contragent as Entry),
  };
}

const contragentOf = ({ contragentType, legalName, INN }: Entry): Entry => ({ contragentType, legalName, INN });

function namesOf({ firstName, lastName, patronymic, email, phones, address }: Entry): Entry {
  const [phone] = phones as { number: string }[];
  return {
    countryIso: (address as Entry).countryIso,
    firstName,
    lastName,
    ...(patronymic !== undefined && { patronymic }),
    email,
    phone: phone?.number,
  };
}

const DAY_MS = 86_400_000;

function deliveryOf(draw: Draw, buyer: Entry, at: number): Entry {
  const code = draw.one(["parcel", "parcel", "courier", "self-delivery"]);
  if (code === "self-delivery") return { code, cost: 0, netCost: 0 };
  const { countryIso, region, city, index, text } = (buyer.address ?? (buyer.addresses as Entry[])[0]) as Entry;
  const address = { countryIso, region, city, index, text, ...(draw.chance(0.1) && { notes: "Ring twice" }) };
  const where = { code, address };
  const date = crmTime(at + draw.whole(2, 6) * DAY_MS).slice(0, 10);
  if (code === "courier")
    return {
      ...where,
      cost: 9.5,
      netCost: 6,
      date,
      time: { from: "10:00", to: "14:00" },
      data: { courierId: draw.whole(1, 3) },
    };
  return { ...where, cost: 6.9, netCost: 4.5, date, service: { code: draw.one(["standard", "express"]) } };
}
