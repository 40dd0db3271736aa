import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { basePriceType } from "../reference/defaults.ts";
import { crmTime } from "../times.ts";
import { unknownCode } from "../writing.ts";
import { INVENTORY_FILTERS } from "./filters.ts";
import { type Offer, type Offered, offerBy, offersIn, putOffer, type Stock } from "./product.ts";

/** What the stores hold, and the prices of offers. */
export function stockRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { products } = gateway.world.tables;
  site.get("/api/v5/store/inventories", (c) => {
    const details = ["1", "true"].includes(c.req.query("filter[details]") ?? "");
    return listed<Entry>(c, {
      name: "offers",
      entries: offersIn(products) as Iterable<Offered & Entry>,
      supported: INVENTORY_FILTERS,
      shown: (offered) => inventoryOf((offered as unknown as Offered).offer, details),
    });
  });
  site.post("/api/v5/store/inventories/upload", (c) => {
    const { offers, site } = bodyOf<{ offers: Entry[]; site?: string }>(c);
    const stores = offers.map((each) => stocksOf(each));
    for (const [n, given] of stores.entries())
      for (const [m, { store }] of given.entries())
        known(gateway, "stores", store, ["offers", `${n}.stores.${m}.code`, "Store"]);
    const notFound = upload(
      gateway,
      offers,
      (given) => given.site ?? site,
      (offer, n) => stocked(offer, stores[n] ?? []),
    );
    const found = offers.length - notFound.length;
    return c.json({
      success: true,
      processedOffersCount: found,
      ...(notFound.length > 0 && { notFoundOffers: notFound }),
    });
  });
  site.post("/api/v5/store/prices/upload", (c) => {
    const { prices } = bodyOf<{ prices: (Entry & { prices?: NewPrice[] })[] }>(c);
    for (const [n, given] of prices.entries())
      for (const [m, { code }] of (given.prices ?? []).entries())
        known(gateway, "price-types", code, ["prices", `${n}.prices.${m}.code`, "PriceType"]);
    const notFound = upload(
      gateway,
      prices,
      ({ site }) => site,
      (offer, n) => priced(offer, prices[n]?.prices ?? []),
    );
    return c.json({
      success: true,
      processedOffersCount: prices.length - notFound.length,
      notFoundOffers: notFound.map(({ id, ...given }) => ({ ...given, ...(id !== undefined && { id: String(id) }) })),
    });
  });
}

interface NewPrice {
  code: string;
  price?: number;
  remove?: boolean;
}

const inventoryOf = ({ id, externalId, xmlId, site, purchasePrice, quantity, stores }: Offer, details: boolean) => ({
  id,
  externalId,
  xmlId,
  site,
  purchasePrice,
  quantity,
  ...(details && { stores: stores ?? [] }),
});

/** Throws a Refusal in the CRM's words for a code that the dictionary lacks. */
function known({ world }: Gateway, dictionary: string, code: string, [form, field, what]: [string, string, string]) {
  if (!world.dictionaries.get(dictionary)?.has(code)) throw unknownCode(form, field, what, code);
}

/** Changes the offers that are found; returns the names of the others. */
function upload(
  gateway: Gateway,
  given: Entry[],
  siteOf: (given: Entry) => unknown,
  change: (offer: Offer, n: number) => Offer,
): Entry[] {
  const { world, clock } = gateway;
  const notFound: Entry[] = [];
  for (const [n, each] of given.entries()) {
    const found = offerBy(world.tables.products, each, siteOf(each));
    if (found) {
      const offer = change(found.offer, n);
      putOffer(world.tables.products, { ...found, offer }, basePriceType(world), crmTime(clock.now()));
      continue;
    }
    const { id, externalId, xmlId } = each;
    notFound.push({ id, externalId, xmlId });
  }
  return notFound;
}

const stocksOf = ({ stores }: Entry): Stock[] =>
  ((stores ?? []) as Entry[]).map(({ code, available, purchasePrice }) => ({
    store: String(code),
    quantity: Number(available ?? 0),
    ...(purchasePrice !== undefined && { purchasePrice: Number(purchasePrice) }),
  }));

/** Stores that the upload does not name keep what they hold. */
function stocked(offer: Offer, changes: Stock[]): Offer {
  const stocks = new Map((offer.stores ?? []).map((stock) => [stock.store, stock]));
  for (const change of changes) stocks.set(change.store, { ...stocks.get(change.store), ...change });
  const purchasePrice = changes.findLast((change) => change.purchasePrice !== undefined)?.purchasePrice;
  return { ...offer, stores: [...stocks.values()], purchasePrice: purchasePrice ?? offer.purchasePrice };
}

/** Price types that the upload does not name keep their prices. */
function priced(offer: Offer, changes: NewPrice[]): Offer {
  const prices = new Map(offer.prices.map((each) => [each.priceType, each]));
  for (const { code, price, remove } of changes) {
    if (remove) prices.delete(code);
    else if (price !== undefined) prices.set(code, { priceType: code, price });
  }
  return { ...offer, prices: [...prices.values()] };
}
