import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { World } from "../../world.ts";
import type { Entry } from "../records.ts";
import { basePriceType, defaultShop } from "../reference/defaults.ts";
import { crmTime } from "../times.ts";
import { BLANK, entityFault } from "../writing.ts";
import { type Offer, type Product, putProduct } from "./product.ts";

// Batches of products. A batch with a refused product changes nothing.

const FORM = "products";
const USED = "This value is already used.";
const FLAGS = { popular: false, stock: false, novelty: false, recommended: false, markable: false, active: true };
/** Fields that the API writes; it ignores the others. */
const WRITTEN = "article name url description externalId manufacturer catalogId type".split(" ");

export function batchRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  const root = "/api/v5/store/products/batch";
  const keep = (product: Product) =>
    putProduct(world.tables.products, product, basePriceType(world), crmTime(clock.now()));
  site.post(`${root}/create`, (c) => {
    const { products } = bodyOf<{ products: Entry[] }>(c);
    const made = products.map((given, n) => checked(world, { ...newProduct(gateway), ...written(world, given, n) }, n));
    mustDiffer(made);
    for (const product of made) keep({ ...product, offers: offersFor(gateway, product) });
    const addedProducts = made.map(({ id }) => id);
    return c.json({ success: true, processedProductsCount: made.length, addedProducts });
  });
  site.post(`${root}/edit`, (c) => {
    const { products } = bodyOf<{ products: Entry[] }>(c);
    const edits = products.map((given, n) => {
      const before = productBy(world, given);
      return before && checked(world, { ...before, ...written(world, given, n) }, n);
    });
    const known = edits.filter((product) => product !== undefined);
    for (const product of known) keep(product);
    const notFoundProducts = products.flatMap(({ id, externalId }, n) =>
      edits[n] ? [] : { ...(id !== undefined && { id: String(id) }), externalId },
    );
    return c.json({ success: true, processedProductsCount: known.length, notFoundProducts });
  });
}

const newProduct = ({ world }: Gateway): Product => ({
  id: world.nextId(),
  type: "product",
  name: "",
  ...FLAGS,
  groups: [],
  offers: [],
});

/** No source says whether a product has an offer from the start. */
function offersFor({ world, unknowns }: Gateway, { name, article, externalId }: Product): Offer[] {
  if (!unknowns().productOffer) return [];
  const names = { name, article, externalId, xmlId: externalId };
  return [{ id: world.nextId(), ...names, prices: [], active: true, site: defaultShop(world) }];
}

/** By id, else by externalId, of one shop if it is named. */
function productBy({ tables: { products } }: World, { id, externalId, site }: Entry): Product | undefined {
  const ids = id === undefined ? products.having("externalId", externalId ?? "") : [Number(id)];
  const isOf = ({ offers }: Product) => !site || offers.some((offer) => offer.site === site);
  return ids.map((each) => products.rows.get(each) as Product | undefined).find((each) => each && isOf(each));
}

/** Throws a Refusal. */
function written({ tables: { productGroups } }: World, given: Entry, n: number): Partial<Product> {
  const fields = [...WRITTEN, ...Object.keys(FLAGS)].flatMap((field) =>
    field in given ? [[field, given[field]]] : [],
  );
  if (given.groups === undefined) return Object.fromEntries(fields);
  const groups = (given.groups as Entry[]).map(({ id, externalId }, m) => {
    const [group] = id === undefined ? productGroups.having("externalId", externalId ?? "") : [Number(id)];
    const known = productGroups.rows.get(group ?? 0);
    if (!known) throw entityFault(FORM, `${n}.groups.${m}`, "This value is not valid.");
    return { id: Number(known.id), ...(known.externalId !== undefined && { externalId: String(known.externalId) }) };
  });
  return { ...Object.fromEntries(fields), groups };
}

/** Throws a Refusal for an external id that a batch names twice. */
function mustDiffer(batch: Product[]): void {
  const ids = batch.map(({ externalId }) => externalId);
  const again = ids.findIndex((id, n) => id !== undefined && ids.indexOf(id) !== n);
  if (again >= 0) throw entityFault(FORM, `${again}.externalId`, USED);
}

/** Throws a Refusal. */
function checked({ tables: { products } }: World, product: Product, n: number): Product {
  if (!product.name) throw entityFault(FORM, `${n}.name`, BLANK);
  const others = products.having("externalId", product.externalId ?? "").filter((id) => id !== product.id);
  if (others.length > 0) throw entityFault(FORM, `${n}.externalId`, USED);
  return product;
}
