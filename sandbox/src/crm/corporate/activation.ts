import type { Gateway } from "../../gateway/gateway.ts";
import { isFilled } from "../customers/contragent.ts";
import { CUSTOMER, nameOf } from "../customers/customer.ts";
import type { Entry } from "../records.ts";
import { record } from "../resource/history.ts";
import { crmTime } from "../times.ts";

const DAY_MS = 24 * 3_600_000;
const LEGAL = ["legal-entity", "enterpreneur"];

/** Switches corporate customers on, for good: at once, or at the next midnight. */
export function activateCorporate(gateway: Gateway): void {
  const { clock, unknowns } = gateway;
  if (unknowns().corporateSwitch === "at once") convert(gateway);
  else clock.after(DAY_MS - (clock.now() % DAY_MS), () => convert(gateway));
}

/** Contractors become corporate customers; ids and history stay (spec: States and transitions). */
function convert(gateway: Gateway): void {
  const { world, clock } = gateway;
  if (world.corporateOn) return;
  world.corporateOn = true;
  const now = crmTime(clock.now());
  const { customers, corporate } = world.tables;
  for (const entry of [...customers.rows.values()]) {
    const id = Number(entry.id);
    const contragent = contractorOf(gateway, entry);
    if (!contragent) continue;
    customers.remove(id);
    corporate.put(corporateOf({ ...entry, contragent }, now, world.nextId));
    carryAlong(gateway, id);
    record(world, CUSTOMER.path, now, { source: "code" }, id, [
      { field: "type", oldValue: "customer", newValue: "customer_corporate" },
    ]);
  }
}

/** A customer's contractor data, or else that of a legal entity in its orders. */
function contractorOf({ world }: Gateway, entry: Entry): Entry | undefined {
  if (isContractor(entry)) return entry.contragent as Entry;
  const { rows, having } = world.tables.orders;
  const orders = having("customer.id", entry.id).map((id) => rows.get(id) as Entry);
  return orders.map(({ contragent }) => contragent as Entry | undefined).find((each) => each && isLegal(each));
}

const isLegal = ({ contragentType }: Entry) => LEGAL.includes(String(contragentType));

/** Contractor data is filled, or its type is no private person's. */
function isContractor({ contragent }: Entry): boolean {
  const { contragentType, ...filled } = (contragent ?? {}) as Entry;
  return isLegal({ contragentType }) || isFilled(filled);
}

/** Fields of a person stay, unseen, for the earlier history. */
function corporateOf(entry: Entry, now: string, nextId: () => number): Entry {
  const { contragent, address } = entry;
  const { legalName } = contragent as Entry;
  const company = { id: nextId(), active: true, name: legalName, createdAt: now, contragent, isMain: true };
  return {
    ...entry,
    type: "customer_corporate",
    nickName: legalName || nameOf(entry).trim(),
    companies: [company],
    ...(isFilled(address) && { addresses: [{ id: nextId(), ...(address as Entry), isMain: true }] }),
  };
}

/** Notes, tasks and orders of a customer. */
function carryAlong({ world: { tables } }: Gateway, customer: number): void {
  const { customerNotes, corporateNotes, tasks, orders } = tables;
  for (const id of customerNotes.having("customer.id", customer)) {
    corporateNotes.put(customerNotes.rows.get(id) as Entry);
    customerNotes.remove(id);
  }
  for (const { rows, having, put } of [tasks, orders])
    for (const id of having("customer.id", customer)) {
      const row = rows.get(id) as Entry;
      put({ ...row, customer: { ...(row.customer as Entry), type: "customer_corporate" } });
    }
}
