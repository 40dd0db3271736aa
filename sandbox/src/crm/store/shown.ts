import type { Gateway } from "../../gateway/gateway.ts";
import type { Entry } from "../records.ts";
import type { Offer, Offered, Product } from "./product.ts";

/** Addresses below `/shop` are this sandbox's. */
export const absolute = (origin: string, url: unknown): string =>
  typeof url === "string" && url.startsWith("/") ? `${origin}${url}` : String(url ?? "");

/** How answers show the catalogue. */
export function showing({ world, origin }: Gateway) {
  const { dictionaries } = world;
  const entryOf = (dictionary: string, code: string): Entry => dictionaries.get(dictionary)?.get(code) ?? {};
  const url = (given: unknown) => (given ? absolute(origin(), given) : undefined);
  const unit = (given: Offer["unit"]): Entry | undefined => {
    if (!given) return undefined;
    const { name, sym } = entryOf("units", given.code);
    return { code: given.code, name, sym };
  };
  const offer = ({ stores, ...more }: Offer): Entry => ({
    ...more,
    images: (more.images ?? []).map(url),
    prices: more.prices.map(({ priceType, price }) => {
      const { ordering, currency } = entryOf("price-types", priceType);
      return { priceType, price, ordering, currency };
    }),
    unit: unit(more.unit),
  });
  const plain = ({ offers, classSegment, ...more }: Product): Entry => ({
    ...more,
    url: url(more.url),
    imageUrl: url(more.imageUrl),
  });
  return {
    unit,
    product: (product: Product): Entry => ({ ...plain(product), offers: product.offers.map(offer) }),
    offered: (offered: Offered): Entry => ({ ...offer(offered.offer), product: plain(offered.product) }),
  };
}
