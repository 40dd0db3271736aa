import { atLeast, atMost, flagged, type ListFilters, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, period, within } from "../resource/filters.ts";
import { reading } from "../resource/reading.ts";

const sites = ["customer", "order"].map((holder) => reading(`attachment.${holder}.site`));
const size = ({ size }: Entry) => Number(size);

export const FILE_FILTERS: ListFilters<Entry> = {
  ...equal({
    ids: "id",
    type: "type",
    orderIds: "attachment.order.id",
    orderExternalIds: "attachment.order.externalId",
    customerIds: "attachment.customer.id",
    customerExternalIds: "attachment.customer.externalId",
  }),
  ...within({ filename: "filename" }),
  ...period("createdAt", "createdAt"),
  sizeFrom: atLeast(size),
  sizeTo: atMost(size),
  isAttached: flagged(({ attachment }) => (attachment as Entry[]).length > 0),
  sites: oneOf((file) => sites.flatMap((read) => read(file) ?? [])),
};
