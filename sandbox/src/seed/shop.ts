import { crmTime } from "../crm/times.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { createWorld } from "../new-world.ts";
import type { World } from "../world.ts";
import { fillCatalogue } from "./catalogue.ts";
import { drawBuyers, keepBuyers } from "./customers.ts";
import { createDraw } from "./draw.ts";
import { fillNotes, fillPacks, fillShipments, fillTasks } from "./follow-ups.ts";
import { createLog } from "./log.ts";
import { fillOrders } from "./orders.ts";
import { fillReferences } from "./references.ts";
import type { Size } from "./sizes.ts";
import { fillStaff } from "./staff.ts";

const DAY_MS = 86_400_000;
/** Customers come for two years, orders for one; the last are of yesterday (UTC). */
const CUSTOMERS_MS = 730 * DAY_MS;
const ORDERS_MS = 365 * DAY_MS;
/** Above those of a new account's goods. */
const BEFORE_FIRST_ID = 10_000;
const SEED = 7;

/** A new account with a shop of this size: the same records each day, and a day later on the next. */
export function seededWorld(gateway: Gateway, { products, customers, orders, days }: Size): World {
  const now = gateway.clock.now() - (gateway.clock.now() % DAY_MS);
  const world = createWorld(now);
  world.continueAfter(BEFORE_FIRST_ID);
  world.corporateOn = true;
  world.tables.orders.clear();
  const draw = createDraw(SEED);
  const log = createLog(now - days * DAY_MS);
  const managers = fillStaff(world, draw, now - CUSTOMERS_MS);
  fillReferences(world, crmTime(now - CUSTOMERS_MS));
  const shelves = fillCatalogue(world, draw, products, crmTime(now - DAY_MS));
  const arrivals = { count: customers, from: now - CUSTOMERS_MS, to: now - DAY_MS, managers };
  const buyers = drawBuyers(world, draw, log, arrivals);
  const ordering = { count: orders, from: now - ORDERS_MS, to: now, shelves, managers };
  fillOrders({ ...gateway, world }, draw, log, buyers, ordering);
  keepBuyers(world, buyers);
  const followingUp = { world, draw, log, managers, now };
  fillNotes(followingUp, buyers);
  fillTasks(followingUp);
  fillPacks(followingUp);
  fillShipments(followingUp);
  log.write(world);
  return world;
}
