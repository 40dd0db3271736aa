import type { Hono } from "hono";
import type { Env } from "../exchange.ts";
import type { World } from "../world.ts";
import type { Entry } from "./records.ts";
import { defaultEntry, defaultShop } from "./reference/defaults.ts";

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const HOURS = { start_time: "09:00", end_time: "18:00", lunch_start_time: "13:00", lunch_end_time: "14:00" };

export function settingsRoute(site: Hono<Env>, world: World): void {
  site.get("/api/v5/settings", (c) => c.json({ success: true, settings: settingsShown(world) }));
}

/** As the API answers them, and as modules are told of them. */
export function settingsShown(world: World): Entry {
  const { language, timeZone } = world.settings;
  return {
    default_currency: { value: defaultEntry(world, "price-types", "default").currency },
    system_language: { value: language },
    timezone: { value: timeZone },
    work_times: DAYS.map((day) => ({ day_type: day, ...HOURS })),
    mg: { order_creation: { default: orderCreation(world), channels: [] } },
  };
}

/** What orders made in a chat get. */
const orderCreation = (world: World) => ({
  site: defaultShop(world),
  order_type: defaultEntry(world, "order-types", "defaultForCrm").code,
  order_method: defaultEntry(world, "order-methods", "defaultForCrm").code,
});
