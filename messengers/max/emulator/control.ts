import type { Switches } from "gangway-messenger/kit/emulator/switches";
import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Customers } from "./customers.ts";
import { parseMaxFault } from "./faults.ts";
import type { Platform } from "./platform.ts";
import type { SwitchValues } from "./switches.ts";

const at = z.strictObject({ bot: z.int().optional(), person: z.int().default(1) });
const started = at.extend({ payload: z.string().max(512).optional() });

/** What tests and people set: switches, faults, and the acts of customers that no page has. */
export function controlApi(
  platform: Platform,
  switches: Switches<SwitchValues>,
  customers: Customers,
  operations: readonly string[],
): Hono {
  const api = new Hono();
  const { journal, faults, world } = platform;
  const json = (c: Context) => c.req.json().catch(() => ({}));
  const dialogAt = ({ bot, person }: z.infer<typeof at>) => {
    const [first] = world.bots;
    const found = bot === undefined ? first : world.bots.find(({ id }) => id === bot);
    const who = world.people.find(({ n }) => n === person);
    if (!found || !who) throw new Error("There is no such dialog");
    return customers.dialog(found, who);
  };
  api.onError((error, c) => c.json({ error: error.message }, 400));
  api.get("/calls", (c) => c.json({ total: journal.total(), entries: journal.entries() }));
  api.get("/settings", (c) => c.json(switches.values()));
  api.put("/settings", async (c) => c.json(switches.set(await json(c))));
  api.get("/faults", (c) => c.json({ plans: faults.list() }));
  api.post("/faults", async (c) => {
    faults.plan(parseMaxFault(await json(c), operations));
    return c.json({});
  });
  api.delete("/faults", (c) => {
    faults.clear();
    return c.json({});
  });
  api.post("/start", async (c) => {
    const { payload, ...where } = started.parse(await json(c));
    await customers.starts(dialogAt(where), payload);
    return c.json({});
  });
  api.post("/stop", async (c) => {
    await customers.stops(dialogAt(at.parse(await json(c))));
    return c.json({});
  });
  /** As MAX does after eight silent hours. */
  api.delete("/subscriptions", (c) => {
    for (const { subscriptions } of world.bots) subscriptions.clear();
    return c.json({});
  });
  return api;
}
