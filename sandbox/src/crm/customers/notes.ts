import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { ListFilters } from "../listing.ts";
import { type Entry, idOf } from "../records.ts";
import { equal, period, within } from "../resource/filters.ts";
import type { Resource } from "../resource/resource.ts";
import { recordIn, type Table } from "../resource/table.ts";
import type { TableName } from "../tables.ts";
import { BLANK, checkUser, demand, entityFault } from "../writing.ts";

const FORM = "note";

export const CUSTOMER_NOTE = notesOf("customers", "customers", "customerNotes");
export const CORPORATE_NOTE = notesOf("customers-corporate", "corporate", "corporateNotes");

/** Notes about the customers of a table. */
function notesOf(path: string, customers: TableName, table: TableName): Resource {
  const owner = ({ world }: Gateway, { customer }: Entry) => world.tables[customers].rows.get(idOf(customer));
  return {
    path: `${path}/notes`,
    table,
    calls: ["create", "delete"],
    byId: true,
    unknown: { delete: () => new Refusal(404, "Note not found", "the note exists") },
    one: FORM,
    many: "notes",
    schema: "CustomerNote",
    taken: ["customer"],
    indexed: {
      ids: "id",
      customerIds: ({ tables }, ids) => ids.flatMap((id) => tables[table].having("customer.id", id)),
    },
    filters: (gateway): ListFilters<Entry> => ({
      ...equal({ ids: "id", customerIds: "customer.id", managerIds: "managerId" }),
      customerExternalIds: (values) => (note) => values.includes(String(owner(gateway, note)?.externalId)),
      ...within({ text: "text" }),
      ...period("createdAt", "createdAt"),
    }),
    apply: ({ gateway: { world }, site: own }, change, { id, createdAt }) => {
      const { text, managerId } = change;
      const customer = ownerOf(world.tables[customers], (change.customer ?? {}) as Entry, own);
      demand(FORM, change, { text: BLANK });
      checkUser(world, FORM, managerId);
      return { id, text, ...(managerId !== undefined && { managerId }), createdAt, customer: { id: customer.id } };
    },
    shown(gateway, { customer, ...note }) {
      const { id, externalId, type, site } = owner(gateway, { customer }) ?? (customer as Entry);
      return { ...note, customer: { type, id, externalId, site } };
    },
  };
}

/** Throws a Refusal. */
function ownerOf(customers: Table, { id, externalId, site }: Entry, own: string): Entry {
  if (id === undefined && externalId === undefined)
    throw entityFault(FORM, "customer", "Set one of the following fields: id, externalId");
  const known = recordIn(customers, { id, externalId, site }, own);
  if (!known) throw entityFault(FORM, "customer", "This value is not valid.");
  return known;
}
