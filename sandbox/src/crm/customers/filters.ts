import type { Gateway } from "../../gateway/gateway.ts";
import { userBy } from "../../users.ts";
import { byCustomValues } from "../custom-values.ts";
import { type Filter, type ListFilters, oneOf } from "../listing.ts";
import type { Entry } from "../records.ts";
import { at, equal, flags, period, range } from "../resource/filters.ts";
import type { TableName } from "../tables.ts";
import { crmMinute } from "../times.ts";

/** Filters that lists of customers and of corporate customers share. */
export const partyFilters = (gateway: Gateway, notes: TableName): ListFilters<Entry> => ({
  ...equal({
    ids: "id",
    externalIds: "externalId",
    sites: "site",
    managers: "managerId",
    discountCardNumber: "discountCardNumber",
    classSegment: "segments.code",
  }),
  managerGroups: byManager(gateway),
  ...flags("vip", "bad"),
  ...range("OrdersCount", "ordersCount", 0),
  ...range("AverageSumm", "averageSumm", 0),
  ...range("TotalSumm", "totalSumm", 0),
  ...range("CostSumm", "costSumm", 0),
  ...period("date", "createdAt"),
  ...period("firstOrder", "firstOrderAt"),
  ...period("lastOrder", "lastOrderAt"),
  customFields: byCustomValues,
  notes: byNotes(gateway, notes),
  attachments: byAttachments(gateway, "customer"),
  tasksCounts: byTasks(gateway, "customer"),
});

/** By the user groups of the manager. */
export const byManager = ({ world }: Gateway): Filter<Entry> =>
  at(
    "managerId",
    oneOf((id) => userBy(world, id)?.groups ?? []),
  );

const byNotes =
  ({ world }: Gateway, table: TableName): Filter<Entry> =>
  ([part = ""]) => {
    const { rows, having } = world.tables[table];
    const wanted = part.toLowerCase();
    return ({ id }) =>
      having("customer.id", id).some((note) => String(rows.get(note)?.text).toLowerCase().includes(wanted));
  };

/** 1 and 2 files (the sandbox keeps no mail), 3 none. */
export const byAttachments =
  ({ world }: Gateway, to: "customer" | "order"): Filter<Entry> =>
  ([how]) =>
  ({ id }) =>
    world.tables.files.having(`attachment.${to}.id`, id).length > 0 === (how !== "3");

/** 1 none open, 2 open, 3 overdue. */
export const byTasks =
  ({ world, clock }: Gateway, about: "customer" | "order"): Filter<Entry> =>
  ([how]) => {
    const now = crmMinute(clock.now());
    const open = [...world.tables.tasks.rows.values()].filter(({ complete }) => !complete);
    const late = open.filter(({ datetime }) => datetime !== undefined && String(datetime) < now);
    const ids = new Set((how === "3" ? late : open).map((task) => (task[about] as Entry | undefined)?.id));
    return ({ id }) => ids.has(id) === (how !== "1");
  };
