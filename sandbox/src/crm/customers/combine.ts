import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { Entry } from "../records.ts";
import { keep, type Resource, supersede, writingBy } from "../resource/resource.ts";
import type { TableName } from "../tables.ts";

export interface Combining {
  resource: Resource;
  /** Moves what refers to the customer that goes. */
  carry(from: Entry, into: Entry): void;
  /** The end customer afterwards: its own fields stay as they are. */
  joined(from: Entry, into: Entry): Entry;
}
type Given = { resultCustomer: { id?: number }; customers: { id?: number }[] };

/** Combines customers into one. */
export function combineRoute(site: Hono<Env>, gateway: Gateway, { resource, carry, joined }: Combining): void {
  const { path, table } = resource;
  const { rows } = gateway.world.tables[table];
  site.post(`/api/v5/${path}/combine`, (c) => {
    const { resultCustomer, customers } = bodyOf<Given>(c);
    const into = rows.get(Number(resultCustomer.id));
    const from = [...new Set(customers.map(({ id }) => rows.get(Number(id))))];
    if (!into || from.length === 0 || from.some((each) => !each || each === into))
      throw new Refusal(400, "Invalid input parameters", "customers are combined into another that exists");
    const writing = writingBy(gateway, { source: "combine" });
    for (const entry of from as Entry[]) {
      carry(entry, into);
      const before = rows.get(Number(into.id)) as Entry;
      keep(resource, writing, joined(entry, before), before);
      supersede(resource, writing, entry, Number(into.id));
    }
    return c.json({ success: true });
  });
}

/** Moves the notes about the customer. */
export function moveNotes({ world }: Gateway, table: TableName, from: Entry, { id }: Entry): void {
  const { rows, having, put } = world.tables[table];
  for (const each of having("customer.id", from.id)) put({ ...rows.get(each), customer: { id } });
}
