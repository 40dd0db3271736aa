import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { moveContacts } from "../corporate/joined.ts";
import { moveFiles } from "../files/attachment.ts";
import { moveOrders } from "../orders/moved.ts";
import type { Entry } from "../records.ts";
import { type Reference, recordBy } from "../resource/resource.ts";
import { fixExternalIdsRoute, historyRoute, resourceRoutes, uploadRoute } from "../resource/routes.ts";
import { withChatsOf } from "./chats.ts";
import { combineRoute, moveRows } from "./combine.ts";
import { CUSTOMER } from "./customer.ts";
import { noteRoutes } from "./notes.ts";
import { subscriptionRoute } from "./subscriptions.ts";

export function customerRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { tables } = gateway.world;
  const shown = (entry: Entry) => CUSTOMER.shown(gateway, entry);
  historyRoute(site, gateway, CUSTOMER.path, {
    history: CUSTOMER.path,
    one: "customer",
    by: "customer",
    // Customers that became corporate ones stay here with their earlier history.
    record: (id) => tables.customers.rows.get(id) ?? tables.corporate.rows.get(id),
    named: ({ id, externalId, site }) => ({ id, externalId, site }),
    whole: shown,
  });
  noteRoutes(site, gateway, CUSTOMER.path, "customers", "customerNotes");
  combineRoute(site, gateway, {
    resource: CUSTOMER,
    carry: (from, into) => {
      moveRows(gateway, ["customerNotes", "tasks"], from, into);
      moveFiles(gateway.world, "customer", from, into);
      moveContacts(gateway, from, into);
      moveOrders(gateway, from, into);
    },
    joined: withChatsOf,
  });
  uploadRoute(site, gateway, CUSTOMER, {
    many: "customers",
    uploaded: "uploadedCustomers",
    failed: "failedCustomers",
    words: "Customers are loaded with errors",
    errors: "map",
  });
  fixExternalIdsRoute(site, gateway, CUSTOMER);
  subscriptionRoute(site, gateway);
  resourceRoutes(site, gateway, CUSTOMER);
  // The spec's way to read a customer; every client sends GET.
  site.post("/api/v5/customers/:key", (c) => {
    const entry = recordBy(gateway, "customers", c.req.param("key"), bodyOf<Reference | undefined>(c) ?? {});
    return c.json({ success: true, customer: shown(entry) });
  });
}
