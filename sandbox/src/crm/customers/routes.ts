import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Judge } from "../../judge.ts";
import { moveContacts } from "../corporate/joined.ts";
import { moveFiles } from "../files/attachment.ts";
import { moveOrders } from "../orders/moved.ts";
import { type Reference, recordBy } from "../resource/resource.ts";
import { fixExternalIdsRoute, resourceRoutes } from "../resource/routes.ts";
import { uploadRoute } from "../resource/upload.ts";
import { moveTasks } from "../tasks/moved.ts";
import { withChatsOf } from "./chats.ts";
import { combineRoute, moveNotes } from "./combine.ts";
import { CUSTOMER } from "./customer.ts";
import { CUSTOMER_NOTE } from "./notes.ts";
import { subscriptionRoute } from "./subscriptions.ts";

export function customerRoutes(site: Hono<Env>, gateway: Gateway, judge: Judge): void {
  resourceRoutes(site, gateway, CUSTOMER_NOTE);
  combineRoute(site, gateway, {
    resource: CUSTOMER,
    carry: (from, into) => {
      moveNotes(gateway, "customerNotes", from, into);
      moveTasks(gateway, "customer", from, into);
      moveFiles(gateway.world, "customer", from, into);
      moveContacts(gateway, from, into);
      moveOrders(gateway, from, into);
    },
    joined: withChatsOf,
  });
  uploadRoute(site, gateway, judge, CUSTOMER, {
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
    return c.json({ success: true, customer: CUSTOMER.shown(gateway, entry) });
  });
}
