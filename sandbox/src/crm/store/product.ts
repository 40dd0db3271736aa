import type { Entry } from "../records.ts";
import type { Table } from "../resource/table.ts";

// Products as the API shows them, but for addresses below `/shop`, which lack the origin, and for codes of units and
// price types, whose names the answers add.

export interface Price {
  priceType: string;
  price: number;
}
/** What one store holds of an offer. */
export interface Stock {
  store: string;
  quantity: number;
  purchasePrice?: number;
}
export interface Offer extends Entry {
  id: number;
  prices: Price[];
  stores?: Stock[];
  quantity?: number;
  properties?: Record<string, string>;
  images?: string[];
  unit?: { code: string };
  site?: string;
}
export interface Product extends Entry {
  id: number;
  name: string;
  groups: { id: number; externalId?: string }[];
  offers: Offer[];
  /** Of no answer; lists are filtered by it. */
  classSegment?: string;
}

export const productsIn = (products: Table): Iterable<Product> => products.rows.values() as Iterable<Product>;

export const productAt = (products: Table, url: string): Product | undefined =>
  products.rows.get(products.having("url", url)[0] ?? 0) as Product | undefined;

/** The first active products whose name or article contains the text. */
export function searched(products: Table, text: string, max: number): Product[] {
  const wanted = text.trim().toLowerCase();
  const found: Product[] = [];
  for (const product of productsIn(products)) {
    if (found.length === max) break;
    const { active, name, article = "" } = product;
    if (active === true && `${name}\n${article}`.toLowerCase().includes(wanted)) found.push(product);
  }
  return found;
}

/** The product of an offer, and the offer. */
export interface Offered {
  product: Product;
  offer: Offer;
}

export const offersIn = function* (products: Table): Iterable<Offered> {
  for (const product of productsIn(products)) for (const offer of product.offers) yield { product, offer };
};

/** By the first of these that is given; external ids are those of one shop if it is named. */
const NAMES = ["id", "externalId", "xmlId"] as const;

export function offerBy(products: Table, given: Entry, site: unknown): Offered | undefined {
  const name = NAMES.find((each) => given[each] !== undefined);
  if (!name) return undefined;
  const wanted = String(given[name]);
  for (const id of products.having(`offers.${name}`, wanted)) {
    const product = products.rows.get(id) as Product;
    const offer = product.offers.find((each) => String(each[name]) === wanted && (!site || each.site === site));
    if (offer) return { product, offer };
  }
  return undefined;
}

export const putProduct = (products: Table, product: Product, basePriceType: string, updatedAt: string): void =>
  products.put(summed({ ...product, updatedAt }, basePriceType));

/** Replaces one offer of a product. */
export function putOffer(products: Table, { product, offer }: Offered, basePriceType: string, updatedAt: string): void {
  const offers = product.offers.map((each) => (each.id === offer.id ? offer : each));
  putProduct(products, { ...product, offers }, basePriceType, updatedAt);
}

/** An offer's price is that of the default price type, its quantity that of all stores; a product sums up its offers. */
export function summed(product: Product, basePriceType: string): Product {
  const offers = product.offers.map((offer): Offer => {
    const { price } = offer.prices.find(({ priceType }) => priceType === basePriceType) ?? {};
    return { ...offer, price, quantity: offer.stores ? total(offer.stores) : (offer.quantity ?? 0) };
  });
  const prices = offers.flatMap(({ price }) => (price === undefined ? [] : Number(price)));
  const [minPrice, maxPrice] = prices.length > 0 ? [Math.min(...prices), Math.max(...prices)] : [];
  return { ...product, minPrice, maxPrice, quantity: total(offers), offers };
}

const total = (parts: { quantity?: number }[]) => parts.reduce((sum, { quantity = 0 }) => sum + quantity, 0);
