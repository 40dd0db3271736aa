import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

type Json = Record<string, unknown>;
interface Parameter {
  name: string;
  schema: { type?: string; pattern?: string; enum?: unknown[]; items?: { enum?: unknown[] } };
}
interface Contract {
  paths: Record<string, { get: { parameters: Parameter[] } }>;
}

/** A query that asks a list for one filter. */
export interface Asked {
  filter: string;
  query: string;
}

/** Filters by what names a record, its customer, its status or its time: they find most of what is looked for. */
const PLAIN = [
  ...["ids", "externalIds", "numbers", "customerId", "customerExternalId", "contactIds", "extendedStatus"],
  ...["createdAtFrom", "createdAtTo", "dateFrom", "dateTo", "statusUpdatedAtFrom", "statusUpdatedAtTo"],
];
export const isPlain = ({ filter }: Asked): boolean => PLAIN.includes(filter);

/** Refused in the seeded account: the sandbox knows no values, or corporate customers are on. */
const REFUSED: Record<string, RegExp> = { orders: /^productSearchType$/, customers: /^contragent/ };

/** Values that find something, by filter; those of records stand in `fieldsOf`. */
const WORDS: Json = {
  name: "Anna",
  nickName: "Charter",
  contactName: "Anna",
  addressName: "Office",
  companyName: "Charter",
  customer: "Anna",
  product: "rope",
  productGroups: 2,
  notes: "late",
  segment: "regatta",
  classSegment: "regatta",
  managerGroups: "manager",
  mgChannels: 1,
  mgCustomerId: 1,
  tags: "sailor",
  attachedTags: "sailor",
  metro: "Quay",
  commentary: "late",
  receiptFiscalDocumentAttribute: "1",
  deliveryExternalId: "1",
  statusHistorySequence: "complete",
  contragentName: "Charter",
  contragentInn: "1",
  contragentKpp: "1",
  contragentBik: "1",
  contragentCorrAccount: "1",
  contragentBankAccount: "1",
  subscriptions: { news: "1" },
  deliveryTimeFrom: "09:00:00",
  deliveryTimeTo: "20:00:00",
};
const CUSTOM: Json = {
  customers: { boat: "Bora" },
  "customers-corporate": { credit_days: "14" },
  orders: { gift_wrap: "true" },
};

/** By filter: where a record holds the value. */
const FIELDS: Record<string, string> = {
  ids: "id",
  externalIds: "externalId",
  numbers: "number",
  customerId: "customer.id",
  customerExternalId: "customer.externalId",
  contactIds: "mainCustomerContact.customer.id",
  extendedStatus: "status",
  countries: "countryIso",
  city: "address.city",
  region: "address.region",
  index: "delivery.address.index",
  email: "email",
  sites: "site",
  managers: "managerId",
  discountCardNumber: "discountCardNumber",
  browserId: "externalId",
  sourceName: "source.source",
  mediumName: "source.medium",
  campaignName: "source.campaign",
  keywordName: "source.keyword",
  adContentName: "source.content",
  managerComment: "managerComment",
  customerComment: "customerComment",
  statusComment: "statusComment",
  deliveryAddressNotes: "delivery.address.notes",
  trackNumber: "delivery.data.trackNumber",
  couriers: "delivery.data.courierId",
  deliveryTypes: "delivery.code",
  deliveryServices: "delivery.service.code",
  shipmentStores: "shipmentStore",
  orderTypes: "orderType",
  orderMethods: "orderMethod",
  paymentTypes: "payments.*.type",
  paymentStatuses: "payments.*.status",
};
/** Where a list's records hold some of them elsewhere. */
const ELSEWHERE: Record<string, Record<string, string>> = {
  customers: { countries: "address.countryIso" },
  orders: { city: "delivery.address.city", region: "delivery.address.region" },
};
/** Firms hold their addresses and contacts in lists of their own. */
const OF_FIRMS: Json = { city: "Valletta", region: "Malta", email: "anna" };

/** Each filter that the contract gives a list, with a value of one of its records. Throws an Error for one without a value. */
export function filtersOf(list: string, records: Json[], day: string): Asked[] {
  const file = fileURLToPath(import.meta.resolve("gangway-sandbox/contract/crm.openapi.json"));
  const { paths } = JSON.parse(readFileSync(file, "utf8")) as Contract;
  const { parameters } = paths[`/api/v5/${list}`]?.get ?? { parameters: [] };
  return parameters.flatMap((parameter) => {
    const filter = /^filter\[(\w+)\]/.exec(parameter.name)?.[1];
    if (!filter || REFUSED[list]?.test(filter)) return [];
    const value = valueFor(list, filter, parameter, records, day);
    if (value === undefined) throw new Error(`no value is known for filter[${filter}] of ${list}`);
    return [{ filter, query: queryOf(parameter.name, value) }];
  });
}

function valueFor(list: string, filter: string, { schema }: Parameter, records: Json[], day: string): unknown {
  const [choice] = schema.enum ?? schema.items?.enum ?? [];
  if (filter === "customFields") return CUSTOM[list];
  if (choice !== undefined) return choice;
  if (list === "customers-corporate" && OF_FIRMS[filter] !== undefined) return OF_FIRMS[filter];
  const path = ELSEWHERE[list]?.[filter] ?? FIELDS[filter];
  if (path) return records.map((record) => valueAt(record, path.split("."))).find((value) => value !== undefined);
  if (filter in WORDS) return WORDS[filter];
  if (/^(min|max)[A-Z]/.test(filter)) return 100;
  return /(From|To)$/.test(filter) ? timeFor(schema.pattern ?? "", day) : undefined;
}

/** A day, with a time where the contract wants one. */
const timeFor = (pattern: string, day: string): string => (pattern.includes(" ") ? `${day} 00:00:00` : day);

/** `*` is the first entry of a map or list. */
function valueAt(value: unknown, [key, ...rest]: string[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  return valueAt(key === "*" ? Object.values(value)[0] : (value as Json)[key], rest);
}

function queryOf(name: string, value: unknown): string {
  const pairs =
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([key, each]): [string, string] => [`${name}[${key}]`, String(each)])
      : [[name, String(value)] as [string, string]];
  return String(new URLSearchParams(pairs));
}
