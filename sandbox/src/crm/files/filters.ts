import type { World } from "../../world.ts";
import { atLeast, atMost, type Filter, flagged, type ListFilters, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, period, within } from "../resource/filters.ts";
import { attachedTo } from "./attachment.ts";

const size = ({ size }: Entry) => Number(size);

export function fileFilters(world: World): ListFilters<Entry> {
  const named = (field: string, holders: readonly string[]): Filter<Entry> =>
    oneOf((file) =>
      attachedTo(world, file).flatMap((bound) =>
        holders.flatMap((holder) => (bound[holder] as Entry | undefined)?.[field] ?? []),
      ),
    );
  return {
    ...equal({
      ids: "id",
      type: "type",
      orderIds: "attachment.order.id",
      customerIds: "attachment.customer.id",
    }),
    orderExternalIds: named("externalId", ["order"]),
    customerExternalIds: named("externalId", ["customer"]),
    sites: named("site", ["customer", "order"]),
    ...within({ filename: "filename" }),
    ...period("createdAt", "createdAt"),
    sizeFrom: atLeast(size),
    sizeTo: atMost(size),
    isAttached: flagged(({ attachment }) => (attachment as Entry[]).length > 0),
  };
}
