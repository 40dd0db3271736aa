import type { Context, Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { basePriceType } from "../reference/defaults.ts";
import { batchRoutes } from "./batch.ts";
import { offerFilters, productFilters } from "./filters.ts";
import { groupRoutes } from "./groups.ts";
import { type Offered, offersIn, type Product } from "./product.ts";
import { propertyRoutes } from "./properties.ts";
import { showing } from "./shown.ts";
import { stockRoutes } from "./stock.ts";

/** The catalogue: products, their offers, groups and properties, what the stores hold, and prices. */
export function storeRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world, origin } = gateway;
  const shown = showing(gateway);
  const priceTypeOf = (c: Context<Env>) => c.req.query("filter[priceType]") || basePriceType(world);
  site.get("/api/v5/store/products", (c) =>
    listed(c, {
      name: "products",
      entries: world.tables.products.rows.values(),
      supported: productFilters(origin(), priceTypeOf(c)),
      shown: (product) => shown.product(product as Product),
    }),
  );
  site.get("/api/v5/store/offers", (c) =>
    listed<Entry>(c, {
      name: "offers",
      entries: offersIn(world.tables.products) as Iterable<Offered & Entry>,
      supported: offerFilters(priceTypeOf(c)),
      shown: (offered) => shown.offered(offered as unknown as Offered),
    }),
  );
  propertyRoutes(site, world);
  groupRoutes(site, world);
  stockRoutes(site, gateway);
  batchRoutes(site, gateway);
}
