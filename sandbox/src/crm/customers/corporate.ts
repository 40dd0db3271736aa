import type { Hono } from "hono";
import type { Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { listed } from "../listing.ts";
import { crmTime } from "../people.ts";
import type { Entry } from "../records.ts";
import { equal } from "../resource/filters.ts";
import { record } from "../resource/history.ts";
import { shownBy } from "../resource/writable.ts";
import { contragentFilters, isFilled } from "./contragent.ts";
import { CUSTOMER, nameOf } from "./customer.ts";
import { partyFilters } from "./filters.ts";

/** Turns customers with contractor data into corporate ones; ids and history stay (spec: States and transitions). */
export function activateCorporate({ world, clock }: Gateway): void {
  if (world.corporateOn) return;
  world.corporateOn = true;
  const { customers, corporate } = world.tables;
  for (const entry of [...customers.rows.values()]) {
    if (!isFilled(entry.contragent)) continue;
    customers.remove(Number(entry.id));
    corporate.put(corporateOf(entry));
    record(world, CUSTOMER.path, crmTime(clock.now()), { source: "code" }, Number(entry.id), [
      { field: "type", oldValue: "customer", newValue: "customer_corporate" },
    ]);
  }
}

const corporateOf = ({ contragent, firstName, lastName, patronymic, ...entry }: Entry): Entry => ({
  ...entry,
  type: "customer_corporate",
  nickName: nameOf({ firstName, lastName, patronymic }).trim() || (contragent as Entry).legalName,
  companies: [{ contragent }],
});

export function corporateRoutes(site: Hono<Env>, gateway: Gateway): void {
  site.get("/api/v5/customers-corporate", (c) =>
    listed(c, {
      name: "customersCorporate",
      entries: gateway.world.tables.corporate.rows.values(),
      supported: {
        ...partyFilters(gateway, "corporateNotes"),
        ...contragentFilters("companies.contragent"),
        ...equal({ nickName: "nickName" }),
      },
      shown: (entry) => shownBy("CustomerCorporate", entry),
    }),
  );
}
