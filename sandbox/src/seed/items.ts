import type { Entry } from "../crm/records.ts";
import type { Offer } from "../crm/store/product.ts";
import type { World } from "../world.ts";
import type { Draw } from "./draw.ts";

interface Basket {
  offers: readonly Offer[];
  createdAt: string;
  /** At the wholesale price. */
  wholesale: boolean;
}

/** One to three items of different offers, before their discounts. */
export function itemsOf(world: World, draw: Draw, { offers, createdAt, wholesale }: Basket): Entry[] {
  const chosen = new Set([draw.one(offers)]);
  while (chosen.size < 3 && draw.chance(0.3)) chosen.add(draw.one(offers));
  return [...chosen].map((offer) => ({
    id: world.nextId(),
    createdAt,
    initialPrice: offer.prices[wholesale && offer.prices[1] ? 1 : 0]?.price ?? 0,
    quantity: (offer.unit?.code === "m" ? 5 : 1) * (wholesale ? draw.whole(3, 12) : draw.one([1, 1, 1, 2, 3])),
    vatRate: offer.vatRate,
    purchasePrice: offer.purchasePrice,
    status: "new",
    ...(wholesale && offer.prices[1] && { priceType: { code: offer.prices[1].priceType } }),
    ...(draw.chance(0.05) && { discountManualPercent: 10 }),
    offer: { id: offer.id },
  }));
}
