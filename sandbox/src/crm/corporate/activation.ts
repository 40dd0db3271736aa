import type { Gateway } from "../../gateway/gateway.ts";
import { isFilled } from "../customers/contragent.ts";
import { CUSTOMER, nameOf } from "../customers/customer.ts";
import { crmTime } from "../people.ts";
import type { Entry } from "../records.ts";
import { record } from "../resource/history.ts";

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
  for (const entry of [...customers.rows.values()].filter(isContractor)) {
    const id = Number(entry.id);
    customers.remove(id);
    corporate.put(corporateOf(entry, now, world.nextId));
    carryAlong(gateway, id);
    record(world, CUSTOMER.path, now, { source: "code" }, id, [
      { field: "type", oldValue: "customer", newValue: "customer_corporate" },
    ]);
  }
}

/** Contractor data is filled, or its type is no private person's. */
function isContractor({ contragent }: Entry): boolean {
  const { contragentType, ...filled } = (contragent ?? {}) as Entry;
  return LEGAL.includes(String(contragentType)) || isFilled(filled);
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

/** Notes and tasks of a customer. */
function carryAlong({ world: { tables } }: Gateway, customer: number): void {
  const { customerNotes, corporateNotes, tasks } = tables;
  for (const id of [...customerNotes.having("customer.id", customer)]) {
    corporateNotes.put(customerNotes.rows.get(id) as Entry);
    customerNotes.remove(id);
  }
  for (const id of tasks.having("customer.id", customer)) {
    const task = tasks.rows.get(id) as Entry;
    tasks.put({ ...task, customer: { ...(task.customer as Entry), type: "customer_corporate" } });
  }
}
