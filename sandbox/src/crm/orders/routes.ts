import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import { recordBy } from "../resource/resource.ts";
import { fixExternalIdsRoute, resourceRoutes, uploadRoute } from "../resource/routes.ts";
import { ORDER } from "./order.ts";

export function orderRoutes(site: Hono<Env>, gateway: Gateway): void {
  const shown = (order: Entry) => ORDER.shown(gateway, order);
  site.get("/api/v5/orders/get", (c) => {
    const { id, externalId = "", by, site } = c.req.query();
    const order = recordBy(gateway, "orders", id ?? externalId, { by: id === undefined ? by : "id", site });
    return c.json({ success: true, order: shown(order) });
  });
  uploadRoute(site, gateway, ORDER, {
    many: "orders",
    uploaded: "uploadedOrders",
    failed: "failedOrders",
    words: "Orders are loaded with errors",
    errors: "list",
    answer: (orders, writing) => ({ site: writing.site, orders: orders.map(shown) }),
  });
  fixExternalIdsRoute(site, gateway, ORDER.path, "orders", "orders");
  resourceRoutes(site, gateway, ORDER, (order) => ({ order: shown(order) }));
}
