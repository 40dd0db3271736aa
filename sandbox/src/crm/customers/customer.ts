import type { Gateway } from "../../gateway/gateway.ts";
import { checkCustomValues } from "../custom-values.ts";
import { containing, type ListFilters, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { equal, flags, period, within } from "../resource/filters.ts";
import type { Resource, Writing } from "../resource/resource.ts";
import { shownBy } from "../resource/writable.ts";
import { counted, segmentShown, segmentsOf, tellSegments } from "../segments.ts";
import { checkUser, merged } from "../writing.ts";
import { BLANK_PARTY } from "./blank.ts";
import { contragentFilters } from "./contragent.ts";
import { partyFilters } from "./filters.ts";
import { attachedTags, tagged } from "./tags.ts";

/** A customer of the shop, with the chats that it has in messengers. */
export const CUSTOMER: Resource = {
  path: "customers",
  table: "customers",
  one: "customer",
  many: "customers",
  schema: "Customer",
  indexed: { ids: "id", externalIds: "externalId", mgCustomerId: "mgCustomers.id" },
  filters: customerFilters,
  apply,
  after: tellSegments,
  shown,
  history: {
    name: "customers",
    created: "id",
    fields: [
      "externalId",
      "firstName",
      "lastName",
      "patronymic",
      "email",
      "sex",
      "birthday",
      { path: "phones.number", name: "phones", each: true },
      "vip",
      "bad",
      "isContact",
      { path: "personalDiscount", name: "personal_discount", absent: 0 },
      "discountCardNumber",
      "photoUrl",
      "emailMarketingUnsubscribedAt",
      { path: "managerId", name: "manager", as: "id" },
      "tags",
      "address.index",
      "address.countryIso",
      "address.region",
      "address.city",
      "address.street",
      "address.building",
      "address.flat",
      "address.text",
      "source.source",
      "source.medium",
      "source.campaign",
      "source.keyword",
      "source.content",
    ],
    // Customers that became corporate ones stay here with their earlier history.
    record: ({ tables }, id) => tables.customers.rows.get(id) ?? tables.corporate.rows.get(id),
    named: (_, { id, externalId, site }) => ({ id, externalId, site }),
  },
};

export const nameOf = ({ firstName = "", lastName = "", patronymic = "" }: Entry) =>
  `${firstName} ${lastName} ${patronymic}`;

const channelsOf =
  ({ world }: Gateway) =>
  (entry: Entry) =>
    chatsOf(entry).map(({ id }) => world.customers.get(id)?.channelId);
const chatsOf = ({ mgCustomers }: Entry) => (mgCustomers ?? []) as { id: number }[];

function customerFilters(gateway: Gateway): ListFilters<Entry> {
  return {
    ...partyFilters(gateway, "customerNotes"),
    ...equal({
      countries: "address.countryIso",
      browserId: "browserId",
      tags: "tags.name",
      mgCustomerId: "mgCustomers.id",
    }),
    attachedTags: oneOf(attachedTags),
    ...within({
      email: "email",
      city: "address.city",
      region: "address.region",
      commentary: "commentary",
      sourceName: "source.source",
      mediumName: "source.medium",
      campaignName: "source.campaign",
      keywordName: "source.keyword",
      adContentName: "source.content",
    }),
    name: containing(nameOf),
    segment: oneOf((entry) => segmentsOf(gateway.world, entry).flatMap(({ id, code }) => [id, code])),
    sex:
      ([wanted = ""]) =>
      ({ sex, presumableSex }) =>
        sex === wanted.replace("_with_presumable", "") ||
        (wanted.endsWith("_with_presumable") && `${presumableSex}_with_presumable` === wanted),
    ...flags("isContact", "online", "abandonedCart"),
    emailMarketingUnsubscribed:
      ([flag = ""]) =>
      ({ emailMarketingUnsubscribedAt }) =>
        (emailMarketingUnsubscribedAt !== undefined) === ["true", "1"].includes(flag),
    mgChannels: oneOf(channelsOf(gateway)),
    subscriptions: (values, keys) => {
      const wanted = keys.map((key, n) => [key.slice(1, -1), ["true", "1"].includes(values[n] ?? "")] as const);
      return ({ customerSubscriptions = [] }) =>
        wanted.every(([code, on]) =>
          (customerSubscriptions as { subscription: Entry; subscribed: boolean }[]).some(
            ({ subscription, subscribed }) => subscription.code === code && subscribed === on,
          ),
        );
    },
    ...period("firstWebVisit", "firstWebVisitAt"),
    ...period("lastWebVisit", "lastWebVisitAt"),
    // Contractor data and its filters exist only without corporate customers (spec: Customer).
    ...(!gateway.world.corporateOn && contragentFilters("contragent")),
  };
}

function apply({ gateway: { world }, now }: Writing, change: Entry, before: Entry): Entry {
  const { addTags, removeTags, attachedTag, tags, mgCustomerId, subscribed, contragent, ...fields } = change;
  checkCustomValues(world, "customer", "customer", fields.customFields);
  checkUser(world, "customer", fields.managerId);
  return {
    ...merged({ type: "customer", isContact: false, vip: false, bad: false, ...before }, fields),
    ...(contragent !== undefined &&
      !world.corporateOn && { contragent: merged((before.contragent ?? {}) as Entry, contragent as Entry) }),
    ...tagged(before, { addTags, removeTags, attachedTag, tags }),
    ...(subscribed !== undefined && { emailMarketingUnsubscribedAt: subscribed ? undefined : now }),
    ...(mgCustomerId !== undefined && {
      mgCustomers: [...chatsOf(before).filter(({ id }) => id !== mgCustomerId), { id: mgCustomerId }],
    }),
  };
}

function shown({ world }: Gateway, entry: Entry): Entry {
  const { contragent, mgCustomers, address, ...others } = entry;
  return {
    ...BLANK_PARTY,
    ...shownBy("Customer", others),
    ...(address !== undefined && { address: { id: entry.id, ...shownBy("CustomerAddress", address as Entry) } }),
    segments: segmentsOf(world, entry).map((segment) => segmentShown(counted(world, segment))),
    ...(contragent !== undefined && !world.corporateOn && { contragent }),
    ...(mgCustomers !== undefined && {
      mgCustomers: chatsOf(entry).map(({ id }) => {
        const channel = world.channels.get(world.customers.get(id)?.channelId ?? 0);
        return {
          id,
          ...(channel && {
            mgChannel: { id: channel.id, type: channel.type, name: channel.name, active: channel.active },
          }),
        };
      }),
    }),
  };
}
