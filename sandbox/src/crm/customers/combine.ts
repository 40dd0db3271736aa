import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { crmTime } from "../people.ts";
import type { Entry, TableName } from "../records.ts";
import { record } from "../resource/history.ts";

export interface Combining {
  /** Below `/api/v5/`; the history's name, too. */
  path: string;
  table: TableName;
  /** Moves what refers to the customer that goes. The end customer's own fields stay as they are. */
  moved(gateway: Gateway, from: Entry, into: Entry): Entry;
}
type Given = { resultCustomer: { id?: number }; customers: { id?: number }[] };

/** Combines customers into one. */
export function combineRoute(site: Hono<Env>, gateway: Gateway, combining: Combining): void {
  const { path, table, moved } = combining;
  const { world, clock } = gateway;
  site.post(`/api/v5/${path}/combine`, (c) => {
    const { resultCustomer, customers } = bodyOf<Given>(c);
    const { rows, put, remove, having: _ } = world.tables[table];
    const into = rows.get(Number(resultCustomer.id));
    const from = customers.map(({ id }) => rows.get(Number(id)));
    if (!into || from.length === 0 || from.some((each) => !each || each === into))
      throw new Refusal(400, "Invalid input parameters", "customers are combined into another that exists");
    for (const entry of from as Entry[]) {
      const id = Number(entry.id);
      put(moved(gateway, entry, rows.get(Number(into.id)) as Entry));
      remove(id);
      world.combined.set(`${table}/${id}`, Number(into.id));
      if (entry.externalId) world.combined.set(`${table}/externalId/${entry.externalId}`, Number(into.id));
      const gone = { field: "id", oldValue: id, newValue: null, deleted: true as const };
      record(world, path, crmTime(clock.now()), { source: "combine" }, id, [
        { ...gone, more: { combinedTo: { id: into.id } } },
      ]);
    }
    return c.json({ success: true });
  });
}

/** Moves rows of a table that refer to the customer. */
export function moveRows({ world }: Gateway, table: TableName, from: Entry, into: Entry): void {
  const { rows, having, put } = world.tables[table];
  for (const id of [...having("customer.id", from.id)]) {
    const row = rows.get(id) as Entry;
    put({ ...row, customer: { ...(row.customer as Entry), id: into.id, externalId: into.externalId } });
  }
}
