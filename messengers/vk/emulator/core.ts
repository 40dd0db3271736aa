import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { createJournal, type Journal } from "gangway-messenger/kit/emulator/journal";
import { createSwitches, type Switches as Switched } from "gangway-messenger/kit/emulator/switches";
import { type Courier, createCourier } from "./courier.ts";
import { createVkFaults, type VkFaults } from "./faults.ts";
import { createShelf, type Shelf } from "./shelf.ts";
import { type Switches, vkSwitches } from "./switches.ts";
import { emptyWorld, type World } from "./world.ts";

/** Entries of the journal that are kept. */
const JOURNAL = 4_000;

/** What all parts of the emulator share. */
export interface Core {
  origin(): string;
  clock: Pick<Clock, "now" | "after">;
  random(): number;
  world: World;
  switches: Switched<Switches>;
  faults: VkFaults;
  journal: Journal;
  shelf: Shelf;
  courier: Courier;
  clear(): void;
  stop(): void;
}

export function createCore({ origin, clock, deliver, random = Math.random }: EmulatorOptions): Core {
  const now = () => clock.now();
  const world = emptyWorld();
  const switches = createSwitches(vkSwitches);
  const faults = createVkFaults(now, random);
  const journal = createJournal(JOURNAL);
  const shelf = createShelf(random);
  const courier = createCourier({ clock, random, deliver, switches: switches.values, faults, journal });
  return {
    ...{ origin, clock, random, world, switches, faults, journal, shelf, courier },
    clear() {
      Object.assign(world, emptyWorld());
      for (const each of [switches, faults, journal, shelf, courier]) each.clear();
    },
    stop() {
      courier.stop();
      shelf.close();
      for (const { waiting } of world.communities) for (const wake of waiting) wake();
    },
  };
}
