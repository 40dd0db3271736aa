import type { Emulator, EmulatorOptions } from "gangway-messenger/kit/emulator";
import { createByteStore } from "gangway-messenger/kit/emulator/byte-store";
import { createJournal, type Journal } from "gangway-messenger/kit/emulator/journal";
import { createSwitches, type Switches } from "gangway-messenger/kit/emulator/switches";
import { Hono } from "hono";
import { controlApi } from "./control.ts";
import { createCourier } from "./courier.ts";
import { type Customers, createCustomers } from "./customers.ts";
import { createMaxFaults, type MaxFaults, plannable } from "./faults.ts";
import { phonePage } from "./phone.ts";
import type { Platform } from "./platform.ts";
import { createRates } from "./rates.ts";
import { apiSite, operationIds } from "./site.ts";
import { maxSwitches, type SwitchValues } from "./switches.ts";
import { createWorld, type Dialog, TOKEN, type World } from "./world.ts";

/** The running emulator, for tests. */
export interface MaxEmulator extends Omit<Emulator, "faults"> {
  world: World;
  customers: Customers;
  switches: Switches<SwitchValues>;
  journal: Journal;
  plans: MaxFaults;
  faults: NonNullable<Emulator["faults"]>;
  /** Updates that wait for a repetition. */
  waiting(): number;
  /** The first person's with the first bot. */
  firstDialog(): Dialog;
}

export function createEmulator(options: EmulatorOptions): MaxEmulator {
  const { clock, deliver, origin, random = Math.random } = options;
  const now = () => clock.now();
  const switches = createSwitches(maxSwitches);
  const faults = createMaxFaults(now, random);
  const journal = createJournal();
  const courier = createCourier({ clock, deliver, random, switches: switches.values, faults, journal });
  const bytes = createByteStore();
  const platform: Platform = {
    ...{ world: createWorld(), origin, clock, random, switches: switches.values, rates: createRates(now) },
    ...{ faults, journal, courier, bytes, media: new Map(), uploads: new Map(), addresses: new Map() },
  };
  const customers = createCustomers(platform);
  const ids = operationIds(platform);
  const site = new Hono();
  site.route("/control", controlApi(platform, switches, customers, ids));
  site.route("/phone", phonePage(platform, customers));
  site.route("/", apiSite(platform));
  const firstDialog = () => {
    const [[bot], [person]] = [platform.world.bots, platform.world.people];
    if (!bot || !person) throw new Error("The world is empty");
    return customers.dialog(bot, person);
  };
  return {
    ...{ site, world: platform.world, customers, switches, journal, plans: faults, firstDialog },
    waiting: courier.waiting,
    customer: {
      says: (text) => customers.says(firstDialog(), { text }),
      sees: () =>
        firstDialog().messages.flatMap(({ from, text, isDeleted }) =>
          from === "bot" && !isDeleted && text ? text : [],
        ),
    },
    channel: () => ({ name: "MAX bot", settings: { token: TOKEN } }),
    logins: () => platform.world.bots.map(({ name, token }) => ({ name, values: { Token: token } })),
    env: () => ({ MAX_API_URL: origin() }),
    faults: plannable(faults, ids),
    stop() {
      courier.stop();
      bytes.close();
    },
  };
}
