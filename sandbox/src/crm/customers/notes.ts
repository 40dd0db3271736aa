import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, period, within } from "../resource/filters.ts";
import { writingOf } from "../resource/routes.ts";
import { recordIn, type Table } from "../resource/table.ts";
import type { TableName } from "../tables.ts";
import { BLANK, checkUser, demand, entityFault } from "../writing.ts";

/** Notes about the customers of a table. */
export function noteRoutes(site: Hono<Env>, gateway: Gateway, path: string, customers: TableName, notes: TableName) {
  const { world } = gateway;
  const root = `/api/v5/${path}/notes`;
  const owner = (id: unknown) => world.tables[customers].rows.get(Number(id));
  const shown = ({ customer, ...note }: Entry): Entry => {
    const { id, externalId, type, site } = owner((customer as Entry).id) ?? (customer as Entry);
    return { ...note, customer: { type, id, externalId, site } };
  };
  site.get(root, (c) =>
    listed(c, {
      name: "notes",
      entries: world.tables[notes].rows.values(),
      supported: {
        ...equal({ ids: "id", customerIds: "customer.id", managerIds: "managerId" }),
        customerExternalIds: (values) => (note) =>
          values.includes(String(owner((note.customer as Entry).id)?.externalId)),
        ...within({ text: "text" }),
        ...period("createdAt", "createdAt"),
      },
      shown,
    }),
  );
  site.post(`${root}/create`, (c) => {
    const { note } = bodyOf<{ note: Entry }>(c);
    const { now, site: own } = writingOf(c, gateway);
    const { text, managerId } = note;
    const customer = ownerOf(world.tables[customers], (note.customer ?? {}) as Entry, own);
    demand("note", note, { text: BLANK });
    checkUser(world, "note", managerId);
    const id = world.nextId();
    world.tables[notes].put({
      id,
      text,
      ...(managerId !== undefined && { managerId }),
      createdAt: now,
      customer: { id: customer.id },
    });
    return c.json({ success: true, id }, 201);
  });
  site.post(`${root}/:id/delete`, (c) => {
    const id = Number(c.req.param("id"));
    if (!world.tables[notes].rows.has(id)) throw new Refusal(404, "Note not found", "the note exists");
    world.tables[notes].remove(id);
    return c.json({ success: true });
  });
}

/** Throws a Refusal. */
function ownerOf(customers: Table, { id, externalId, site }: Entry, own: string): Entry {
  if (id === undefined && externalId === undefined)
    throw entityFault("note", "customer", "Set one of the following fields: id, externalId");
  const known = recordIn(customers, { id, externalId, site }, own);
  if (!known) throw entityFault("note", "customer", "This value is not valid.");
  return known;
}
