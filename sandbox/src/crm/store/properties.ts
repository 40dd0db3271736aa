import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import { Refusal } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { PROPERTY_FILTERS } from "./filters.ts";
import { offersIn } from "./product.ts";

/** Where the catalogue uses a property. */
interface Use {
  sites: Set<string>;
  groups: Set<number>;
  catalogs: Set<number>;
  offers: number;
}

export function propertyRoutes(site: Hono<Env>, world: World): void {
  site.get("/api/v5/store/products/properties", (c) => {
    const direction = c.req.query("sort[offersCount]") ?? "";
    if (!["", "asc", "desc"].includes(direction))
      throw new Refusal(400, "?sort is not a direction", "sort[offersCount] is asc or desc");
    const sign = { asc: 1, desc: -1 }[direction];
    const all = propertiesOf(world);
    return listed(c, {
      name: "properties",
      entries: sign ? all.sort((one, other) => sign * (offersCount(one) - offersCount(other))) : all,
      supported: PROPERTY_FILTERS,
      shown: ({ offers, catalogs, ...property }) => property,
    });
  });
}

const offersCount = ({ offers }: Entry) => Number(offers);

/** A property that offers have and nobody described is known by its code. */
function propertiesOf({ tables, productProperties }: World): Entry[] {
  const uses = new Map<string, Use>();
  for (const { product, offer } of offersIn(tables.products))
    for (const code of Object.keys(offer.properties ?? {})) {
      const use = uses.get(code) ?? { sites: new Set(), groups: new Set(), catalogs: new Set(), offers: 0 };
      uses.set(code, use);
      use.offers += 1;
      if (offer.site) use.sites.add(offer.site);
      if (product.catalogId) use.catalogs.add(Number(product.catalogId));
      for (const { id } of product.groups) use.groups.add(id);
    }
  const codes = new Set([...productProperties.keys(), ...uses.keys()]);
  return [...codes].map((code) => {
    const { sites = [], groups = [], catalogs = [], offers = 0 } = uses.get(code) ?? {};
    const named = [...groups].map((id) => ({ id, name: tables.productGroups.rows.get(id)?.name }));
    const known = productProperties.get(code) ?? { code, name: code };
    return { sites: [...sites], groups: named, ...known, catalogs: [...catalogs], offers };
  });
}
