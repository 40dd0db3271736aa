import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Judge } from "../../judge.ts";
import type { Entry } from "../records.ts";
import { recordBy } from "../resource/resource.ts";
import { fixExternalIdsRoute, resourceRoutes } from "../resource/routes.ts";
import { uploadRoute } from "../resource/upload.ts";
import { combineRoute } from "./combine.ts";
import { linkRoute } from "./links.ts";
import { ORDER } from "./order.ts";
import { PACK } from "./packs.ts";
import { paymentRoutes } from "./payment-routes.ts";

export function orderRoutes(site: Hono<Env>, gateway: Gateway, judge: Judge): void {
  const shown = (order: Entry) => ORDER.shown(gateway, order);
  paymentRoutes(site, gateway);
  resourceRoutes(site, gateway, PACK);
  combineRoute(site, gateway);
  linkRoute(site, gateway);
  statusRoute(site, gateway);
  site.get("/api/v5/orders/get", (c) => {
    const { id, externalId = "", by, site } = c.req.query();
    const order = recordBy(gateway, "orders", id ?? externalId, { by: id === undefined ? by : "id", site });
    return c.json({ success: true, order: shown(order) });
  });
  uploadRoute(site, gateway, judge, ORDER, {
    many: "orders",
    uploaded: "uploadedOrders",
    failed: "failedOrders",
    words: "Orders are loaded with errors",
    errors: "list",
    answer: (orders, writing) => ({ site: writing.site, orders: orders.map(shown) }),
  });
  fixExternalIdsRoute(site, gateway, ORDER);
  resourceRoutes(site, gateway, ORDER);
}

/** The statuses of orders, with their groups. */
function statusRoute(site: Hono<Env>, { world }: Gateway): void {
  const { rows, having } = world.tables.orders;
  site.get("/api/v5/orders/statuses", (c) => {
    const query = new URL(c.req.url).searchParams;
    const asked = (name: string) =>
      [...query].flatMap(([key, value]) => (key.startsWith(`${name}[`) && value !== "" ? [value] : []));
    const ids = new Set([
      ...asked("ids").map(Number),
      ...asked("externalIds").flatMap((externalId) => having("externalId", externalId)),
    ]);
    const orders = [...ids].flatMap((each) => {
      const order = rows.get(each);
      if (!order) return [];
      const { id, externalId, status } = order;
      return { id, externalId, status, group: world.dictionaries.get("statuses")?.get(String(status))?.group };
    });
    return c.json({ success: true, orders });
  });
}
