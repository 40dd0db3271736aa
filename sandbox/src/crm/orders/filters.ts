import type { Gateway } from "../../gateway/gateway.ts";
import { byCustomValues } from "../custom-values.ts";
import { contragentFilters } from "../customers/contragent.ts";
import { byAttachments, byManager, byTasks } from "../customers/filters.ts";
import { type Filter, flagged, type ListFilters, notAfter, notBefore, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { at, equal, flags, period, range, within } from "../resource/filters.ts";
import { byCustomer } from "./customer-filters.ts";
import { chatOf } from "./parties.ts";
import { byProduct } from "./product-filters.ts";

type Filters = ListFilters<Entry>;

/** Every filter of the contract but `productSearchType`: no source tells its values. */
export const orderFilters = (gateway: Gateway): Filters => ({
  ...PLAIN,
  deliveryTimeFrom: at("delivery.time.from", notBefore(withSeconds)),
  deliveryTimeTo: at("delivery.time.to", notAfter(withSeconds)),
  paidAtFrom: at("payments.paidAt", anyOf(notBefore<string>((time) => time))),
  paidAtTo: at("payments.paidAt", anyOf(notAfter<string>((time) => time))),
  customFields: byCustomValues,
  managerGroups: byManager(gateway),
  attachments: byAttachments(gateway, "order"),
  tasksCounts: byTasks(gateway, "order"),
  mgChannels: at(
    "dialogId",
    oneOf((dialog) => dialog !== undefined && chatOf(gateway, dialog).channelId),
  ),
  ...ABSENT,
  ...byStatus(gateway),
  ...byProduct(gateway),
  ...byCustomer(gateway),
});

const PLAIN: Filters = {
  ...equal({
    ids: "id",
    externalIds: "externalId",
    numbers: "number",
    customerId: "customer.id",
    customerType: "customer.type",
    sites: "site",
    managers: "managerId",
    orderTypes: "orderType",
    orderMethods: "orderMethod",
    countries: "countryIso",
    paymentTypes: "payments.type",
    paymentStatuses: "payments.status",
    deliveryTypes: "delivery.code",
    deliveryServices: "delivery.service.code",
    deliveryExternalId: "delivery.data.externalId",
    trackNumber: "delivery.data.trackNumber",
    couriers: "delivery.data.courierId",
    shipmentStores: "shipmentStore",
  }),
  ...within({
    city: "delivery.address.city",
    region: "delivery.address.region",
    index: "delivery.address.index",
    metro: "delivery.address.metro",
    deliveryAddressNotes: "delivery.address.notes",
    email: "email",
    managerComment: "managerComment",
    customerComment: "customerComment",
    statusComment: "statusComment",
    sourceName: "source.source",
    mediumName: "source.medium",
    campaignName: "source.campaign",
    keywordName: "source.keyword",
    adContentName: "source.content",
  }),
  ...flags("expired", "call", "shipped"),
  uploadedToExtStoreSys: at(
    "uploadedToExternalStoreSystem",
    flagged((value) => value === true),
  ),
  deliveryStates: at(
    "deliveryState",
    oneOf((state = "none") => state),
  ),
  ...range("Price", "totalSumm"),
  ...range("PrepaySumm", "prepaySum"),
  ...range("DeliveryCost", "delivery.cost"),
  ...range("DeliveryNetCost", "delivery.netCost"),
  ...range("MarginSumm", "marginSumm"),
  ...range("PurchaseSumm", "purchaseSumm"),
  ...range("CostSumm", "costSumm"),
  ...period("createdAt", "createdAt"),
  ...period("fullPaidAt", "fullPaidAt"),
  ...period("deliveryDate", "delivery.date"),
  ...period("statusUpdatedAt", "statusUpdatedAt"),
  ...period("shipmentDate", "shipmentDate"),
  ...contragentFilters("contragent"),
};

/** Of these the sandbox has none: receipts of a cash register, parcels of one delivery service. */
const ABSENT: Filters = Object.fromEntries(
  [
    "receiptStatus",
    "receiptOperation",
    "receiptOrderStatus",
    "receiptFiscalDocumentAttribute",
    "dpdParcelDateFrom",
    "dpdParcelDateTo",
  ].map((name) => [name, () => () => false]),
);

/** Of several values, any. */
const anyOf =
  <T>(filter: Filter<T>): Filter<T | T[]> =>
  (values, keys) => {
    const matches = filter(values, keys);
    return (value) => (Array.isArray(value) ? value.some((each) => matches(each)) : matches(value));
  };

/** As filters write times of a day. */
const withSeconds = (time: unknown) => (time === undefined ? undefined : `${time}:00`);

const STATUS = at(
  "status",
  oneOf((status) => status),
);
const byStatus = ({ world }: Gateway): Filters => ({
  // A status, or `<group>-group`.
  extendedStatus: (values, keys) => {
    const statuses = [...(world.dictionaries.get("statuses")?.values() ?? [])];
    const wanted = values.flatMap((value) => [
      value,
      ...statuses.flatMap(({ code, group }) => (`${group}-group` === value ? String(code) : [])),
    ]);
    return STATUS(wanted, keys);
  },
  // One after the other, others between them allowed.
  statusHistorySequence: (values) => (order) => {
    let next = 0;
    for (const status of (order.statuses ?? []) as string[]) if (status === values[next]) next += 1;
    return next === values.length;
  },
});
