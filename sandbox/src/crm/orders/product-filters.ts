import type { Gateway } from "../../gateway/gateway.ts";
import type { ListFilters } from "../listing.ts";
import type { Entry } from "../records.ts";
import { type Offered, offersIn } from "../store/product.ts";

const itemsOf = ({ items }: Entry) => (items ?? []) as { offer?: { id: number }; productName?: string }[];

/** What an order's items are. The offers that are meant are looked up once a request. */
export function byProduct({ world }: Gateway): ListFilters<Entry> {
  const offersThat = (are: (offered: Offered) => boolean) => {
    const ids = new Set<number>();
    for (const offered of offersIn(world.tables.products)) if (are(offered)) ids.add(offered.offer.id);
    return ids;
  };
  return {
    product: ([part = ""]) => {
      const wanted = part.toLowerCase();
      const has = (...texts: unknown[]) => texts.join("\n").toLowerCase().includes(wanted);
      const ids = offersThat(({ offer, product }) => has(offer.name, offer.article, product.name, product.article));
      return (order) => itemsOf(order).some(({ offer, productName }) => (offer ? ids.has(offer.id) : has(productName)));
    },
    productGroups: (values) => {
      const ids = offersThat(({ product }) => product.groups.some(({ id }) => values.includes(String(id))));
      return (order) => itemsOf(order).some(({ offer }) => offer !== undefined && ids.has(offer.id));
    },
  };
}
