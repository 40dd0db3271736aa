import { userBy } from "../../users.ts";
import type { World } from "../../world.ts";
import { type Entry, picked } from "../records.ts";

// What callbacks tell of orders, in the fields of the contract's `Callback…` schemas.

export const withoutGaps = (entry: Entry): Entry =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));

const ADDRESS = [
  ...["index", "countryIso", "region", "regionId", "city", "cityId", "cityType", "street", "streetId", "streetType"],
  ...["building", "flat", "floor", "block", "house", "housing", "metro", "notes", "text"],
];
export const addressIn = (address: unknown): Entry | undefined =>
  address ? picked(address as Entry, ADDRESS) : undefined;

export const storeOf = ({ dictionaries }: World, code: unknown): Entry | undefined =>
  dictionaries.get("stores")?.get(String(code));

/** Days of the CRM's records; callbacks carry a time. */
export const midnight = (day: unknown): string | undefined => (day ? `${day} 00:00:00` : undefined);

export function managerOf(world: World, id: unknown): Entry | undefined {
  const user = userBy(world, id);
  return user && { id: Number(user.externalId), firstName: user.firstName, lastName: user.lastName };
}

/** As packed in the order's delivery data, else all items in one. */
export function packagesOf(order: Entry): Entry[] {
  const items = (order.items ?? []) as Entry[];
  const packed = (order.delivery as { data?: { packages?: Entry[] } } | undefined)?.data?.packages;
  if (!packed?.length)
    return [{ ...picked(order, SIZES), items: items.map((item) => packedItem(item, item.quantity)) }];
  const byId = new Map(items.map((item) => [item.id, item]));
  return packed.map((each) => ({
    ...picked(each, ["packageId", ...SIZES]),
    items: ((each.items ?? []) as { orderProduct?: Entry; quantity?: number }[]).flatMap(
      ({ orderProduct, quantity }) => {
        const item = byId.get(orderProduct?.id);
        return item ? packedItem(item, quantity ?? item.quantity) : [];
      },
    ),
  }));
}

const SIZES = ["weight", "width", "length", "height"];

function packedItem(item: Entry, quantity: unknown): Entry {
  const offer = (item.offer ?? {}) as Entry;
  const text = (value: unknown) => (value === undefined ? undefined : String(value));
  const told: Entry = {
    offerId: text(offer.id),
    externalId: offer.externalId,
    xmlId: offer.xmlId,
    name: offer.displayName ?? offer.name,
    vatRate: item.vatRate,
    quantity,
    unit: offer.unit ? picked(offer.unit as Entry, ["code", "name", "sym"]) : undefined,
    cost: Number(item.initialPrice ?? 0) - Number(item.discountTotal ?? 0),
    weight: offer.weight,
  };
  return withoutGaps(told);
}
