import { containing, type Filter, flagged, type ListFilters, notBefore, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, flags, range, within } from "../resource/filters.ts";
import { reading } from "../resource/reading.ts";
import type { Offer, Product } from "./product.ts";
import { absolute } from "./shown.ts";

type Filters = ListFilters<Entry>;
type Numbers = (entry: Entry) => number[];

const offersOf = (entry: Entry): Offer[] => (entry as Product).offers;
const offerOf = (entry: Entry): Offer => (entry as { offer: Offer }).offer;

/** `min…` and `max…` where any of several numbers may be meant. */
const anyOf = (name: string, read: Numbers): Filters => ({
  [`min${name}`]: ([min]) => {
    return (entry) => read(entry).some((value) => value >= Number(min));
  },
  [`max${name}`]: ([max]) => {
    return (entry) => read(entry).some((value) => value <= Number(max));
  },
});

const pricesOf = (offer: Offer, priceType: string): number[] =>
  offer.prices.flatMap((each) => (each.priceType === priceType ? each.price : []));

const sinceId: Filter<Entry> = ([since]) => {
  const last = Number(since);
  return ({ id }) => Number(id) > last;
};

/** `filter[properties][code]=value`, or `filter[properties][]=value` of any property. One offer has them all. */
const withProperties =
  (offers: (entry: Entry) => Offer[]): Filter<Entry> =>
  (values, keys) => {
    const wanted = values.map((value, n) => [(keys[n] ?? "").slice(1, -1), value] as const);
    const has = ({ properties = {} }: Offer) =>
      wanted.every(([code, value]) =>
        code ? String(properties[code]) === value : Object.values(properties).map(String).includes(value),
      );
    return (entry) => offers(entry).some(has);
  };

/** `priceType` is that of the prices compared. */
export const productFilters = (origin: string, priceType: string): Filters => ({
  ...equal({
    ids: "id",
    offerIds: "offers.id",
    groups: "groups.id",
    catalogs: "catalogId",
    sites: "offers.site",
    externalId: "externalId",
    offerExternalId: "offers.externalId",
    groupExternalId: "groups.externalId",
    // A product has no XML id of its own.
    xmlId: "offers.xmlId",
    offerXmlId: "offers.xmlId",
    priceType: "offers.prices.priceType",
    classSegment: "classSegment",
  }),
  ...within({ name: "name", manufacturer: "manufacturer" }),
  ...flags("active", "popular", "stock", "novelty", "recommended"),
  ...range("Quantity", "quantity"),
  ...anyOf("Price", (entry) => offersOf(entry).flatMap((offer) => pricesOf(offer, priceType))),
  ...anyOf("PurchasePrice", (entry) => offersOf(entry).flatMap(({ purchasePrice }) => Number(purchasePrice ?? []))),
  url: oneOf(({ url }) => absolute(origin, url)),
  urlLike: containing(({ url }) => absolute(origin, url)),
  properties: withProperties(offersOf),
  sinceId,
  sinceUpdatedAt: notBefore(({ updatedAt }) => updatedAt as string | undefined),
});

/** Of offers with their products. */
export const offerFilters = (priceType: string): Filters => ({
  ...equal({
    ids: "offer.id",
    externalIds: "offer.externalId",
    xmlIds: "offer.xmlId",
    groups: "product.groups.id",
    catalogs: "product.catalogId",
    sites: "offer.site",
    priceType: "offer.prices.priceType",
  }),
  ...within({ name: "offer.name" }),
  ...range("Quantity", "offer.quantity"),
  ...anyOf("Price", (entry) => pricesOf(offerOf(entry), priceType)),
  active: flagged((entry) => offerOf(entry).active === true),
  properties: withProperties((entry) => [offerOf(entry)]),
  sinceId: (values, keys) => {
    const after = sinceId(values, keys);
    return (entry) => after(offerOf(entry));
  },
});

/** Of offers with their products; `details` chooses fields. */
export const INVENTORY_FILTERS: Filters = {
  ...equal({
    ids: "offer.id",
    productExternalId: "product.externalId",
    productArticle: "product.article",
    offerExternalId: "offer.externalId",
    offerXmlId: "offer.xmlId",
    offerArticle: "offer.article",
    sites: "offer.site",
    catalogs: "product.catalogId",
  }),
  productActive: flagged((entry) => reading("product.active")(entry) === true),
  offerActive: flagged((entry) => offerOf(entry).active === true),
  details: () => () => true,
};

/** Of groups with their levels. */
export const GROUP_FILTERS: Filters = {
  ...equal({ ids: "id", parentGroupId: "parentId", sites: "site", catalogs: "catalogId" }),
  ...flags("active"),
  ...range("Level", "lvl"),
};

/** Of properties with the sites, groups and catalogues that use them. */
export const PROPERTY_FILTERS: Filters = {
  ...equal({ code: "code", sites: "sites", catalogs: "catalogs", groups: "groups.id" }),
  ...within({ name: "name" }),
  ...flags("visible", "variative"),
};
