import type { Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Module } from "../../world.ts";
import { type Entry, found } from "../records.ts";
import type { Writing } from "../resource/resource.ts";
import { writingOf } from "../resource/routes.ts";
import { crmTime } from "../times.ts";
import { BLANK, entityFault, unknownCode } from "../writing.ts";
import { dataOf, extraDataIn, learn, statusIn, typeOf } from "./learned.ts";
import { statusesOf } from "./modules.ts";
import { withoutGaps } from "./parcels.ts";

const FORM = "statusUpdate";

interface Update {
  deliveryId?: string;
  history?: StatusChange[];
  trackNumber?: string;
  cost?: number;
  extraData?: unknown;
}
interface StatusChange {
  code?: string;
  updatedAt?: string;
  comment?: string;
}

/** A delivery module tells where its deliveries are. */
export function trackingRoute(site: Hono<Env>, gateway: Gateway): void {
  const { modules } = gateway.world;
  site.post("/api/v5/delivery/generic/:subcode/tracking", (c) => {
    const module = found(modules, c.req.param("subcode"), "the delivery module exists");
    const updates = bodyOf<{ [FORM]: Update[] }>(c)[FORM];
    // All are checked first: a wrong one changes nothing.
    const ids = updates.map((update, n) => checked(gateway, module, update, n));
    const writing = writingOf(c, gateway);
    for (const [n, update] of updates.entries()) track(writing, module, ids[n] ?? 0, update);
    return c.json({ success: true });
  });
}

/** The id of the order that is delivered. Throws a Refusal. */
function checked(gateway: Gateway, module: Module, { deliveryId, history = [] }: Update, n: number): number {
  if (!deliveryId) throw entityFault(FORM, `${n}.deliveryId`, BLANK);
  const { rows, having } = gateway.world.tables.orders;
  const id = having("delivery.data.externalId", deliveryId).find(
    (each) => module.deliveryType !== undefined && typeOf(rows.get(each) as Entry) === module.deliveryType,
  );
  if (id === undefined) throw entityFault(FORM, `${n}.deliveryId`, `Delivery with id ${deliveryId} not found.`);
  const known = statusesOf(module);
  for (const [at, { code }] of history.entries()) {
    const field = `${n}.history.${at}.code`;
    if (!code) throw entityFault(FORM, field, BLANK);
    if (known.length > 0 && !known.some((each) => each.code === code)) throw unknownCode(FORM, field, "Status", code);
  }
  return id;
}

/** Each status in the order of time, and none that is older than the known one. */
function track(writing: Writing, module: Module, id: number, { history = [], ...update }: Update): void {
  const { rows } = writing.gateway.world.tables.orders;
  const now = () => rows.get(id) as Entry;
  const { trackNumber, cost, extraData } = update;
  learn(writing, now(), { ...withoutGaps({ trackNumber, cost }), ...extraDataIn(extraData) });
  const dated = history.map(({ code = "", updatedAt, comment }) => ({
    ...{ code, comment },
    at: updatedAt ? crmTime(Date.parse(updatedAt)) : writing.now,
  }));
  for (const { code, at, comment } of dated.sort((one, other) => one.at.localeCompare(other.at))) {
    const { statusDate } = dataOf(now());
    if (statusDate === undefined || at >= String(statusDate))
      learn(writing, now(), statusIn(module, code, at, comment));
  }
}
