import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import type { Writing } from "../resource/resource.ts";
import { shownBy, written } from "../resource/writable.ts";
import { type Offer, offerBy } from "../store/product.ts";
import { showing } from "../store/shown.ts";
import { entityFault, merged } from "../writing.ts";
import { checkCodes, OF_ITEMS } from "./references.ts";

const NOT_VALID = "This value is not valid.";
const NAMES = ["id", "externalId", "xmlId"] as const;
const NEW = "new";

/** An order's items after a write, which names all that stay. Throws a Refusal. */
export function itemsOf(writing: Writing, given: readonly Entry[], before: readonly Entry[]): Entry[] {
  const left = [...before];
  return given.map((each, n) => {
    const path = `items.${n}`;
    checkCodes(writing.gateway.world, OF_ITEMS, each, `${path}.`);
    const offer = offerOf(writing, each.offer, path);
    const known = take(left, each, offer);
    const item = itemOf(writing, each, offer, known);
    for (const field of ["quantity", "initialPrice"])
      if (Number(item[field]) < 0) throw entityFault("order", `${path}.${field}`, NOT_VALID);
    return item;
  });
}

function itemOf({ gateway, now }: Writing, given: Entry, offer: Offer | undefined, known: Entry | undefined): Entry {
  const { offer: _, ...fields } = written("OrderItem", given);
  const base = known ?? { id: gateway.world.nextId(), createdAt: now, ...defaultsOf(gateway, offer, given) };
  return { ...merged(base, fields), ...(offer && { offer: { id: offer.id } }) };
}

/** What the offer says of its price and VAT. */
function defaultsOf({ world }: Gateway, offer: Offer | undefined, { priceType }: Entry): Entry {
  const { code } = (priceType ?? {}) as Entry;
  const ofType = offer?.prices.find((each) => each.priceType === code)?.price;
  return {
    initialPrice: ofType ?? offer?.price ?? 0,
    quantity: 1,
    vatRate: offer?.vatRate ?? "none",
    purchasePrice: offer?.purchasePrice ?? 0,
    ...(world.dictionaries.get("product-statuses")?.has(NEW) && { status: NEW }),
  };
}

/** Throws a Refusal. */
function offerOf({ gateway, site }: Writing, given: unknown, path: string): Offer | undefined {
  const named = (given ?? {}) as Entry;
  const name = NAMES.find((each) => named[each] !== undefined);
  if (!name) return undefined;
  const found = offerBy(gateway.world.tables.products, named, name === "id" ? "" : site);
  if (!found) throw entityFault("order", `${path}.offer.${name}`, `Offer with ${name} ${named[name]} not found.`);
  return found.offer;
}

/** Takes the item that is meant from those that are left: by its ids, or else by its offer. */
function take(left: Entry[], given: Entry, offer: Offer | undefined): Entry | undefined {
  const at = left.findIndex((item) => isMeant(item, given, offer));
  return at < 0 ? undefined : left.splice(at, 1)[0];
}

function isMeant(item: Entry, { id, externalId, externalIds }: Entry, offer: Offer | undefined): boolean {
  if (id !== undefined) return item.id === id;
  if (externalId !== undefined) return item.externalId === externalId;
  if (externalIds !== undefined) return codes(item.externalIds).some((each) => codes(externalIds).includes(each));
  return offer !== undefined && (item.offer as Entry | undefined)?.id === offer.id;
}
const codes = (externalIds: unknown) => ((externalIds ?? []) as Entry[]).map(({ code, value }) => `${code}/${value}`);

/** Of an order without a loyalty programme. */
export const NO_BONUSES = { bonusesCreditTotal: 0, bonusesChargeTotal: 0 };

/** An item as answers show it. */
export function shownItem(gateway: Gateway, { productName, ...item }: Entry): Entry {
  const { world } = gateway;
  const { id } = (item.offer ?? {}) as Entry;
  const known = id === undefined ? undefined : offerBy(world.tables.products, { id }, "")?.offer;
  const status = world.dictionaries.get("product-statuses")?.get(String(item.status));
  return {
    // An empty map (recorded).
    properties: [],
    ...shownBy("OrderItem", item),
    offer: known ? shownOffer(gateway, known) : { displayName: productName, ...(item.offer as Entry) },
    ...(status?.cancelStatus === true && { isCanceled: true }),
  };
}

function shownOffer(
  gateway: Gateway,
  { id, externalId, xmlId, name, article, vatRate, unit, properties }: Offer,
): Entry {
  return {
    displayName: name,
    id,
    externalId,
    xmlId,
    name,
    article,
    vatRate,
    properties,
    unit: showing(gateway).unit(unit),
  };
}
