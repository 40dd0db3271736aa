import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import { createJournal, type Journal } from "gangway-messenger/kit/emulator/journal";
import type { Part } from "gangway-messenger/kit/emulator/multipart";
import { createSwitches, type Switches as Switched } from "gangway-messenger/kit/emulator/switches";
import { type Courier, createCourier } from "./courier.ts";
import { type AvitoFaults, createAvitoFaults } from "./faults.ts";
import { avitoSwitches, type Switches } from "./switches.ts";
import { createTokens, type Tokens } from "./tokens.ts";
import { type Account, createWorld, type World } from "./world.ts";

/** Entries of the journal that are kept. */
const JOURNAL = 4_000;

/** All that the emulator is made of. */
export interface Platform {
  world: World;
  tokens: Tokens;
  courier: Courier;
  faults: AvitoFaults;
  journal: Journal;
  switches: Switched<Switches>;
  clock: EmulatorOptions["clock"];
  origin(): string;
}

/** A call of the API. */
export interface Asked {
  account: Account;
  /** Of the path. */
  path: Record<string, string>;
  query: Record<string, string>;
  /** JSON; undefined: there is none. */
  body: unknown;
  /** Of a multipart form. */
  parts: Part[];
}
export interface Operation {
  /** The published `operationId`. */
  id: string;
  method: "GET" | "POST";
  path: string;
  /** Returns the answer's body. Throws Refusal. */
  run(asked: Asked): unknown;
}

export function createPlatform({ random = Math.random, clock, origin, deliver }: EmulatorOptions): Platform {
  const now = () => clock.now();
  const world = createWorld(random);
  const switches = createSwitches(avitoSwitches);
  const faults = createAvitoFaults(now, random);
  const journal = createJournal(JOURNAL);
  const parts = { world, clock, origin, random, deliver, switches: switches.values, faults, journal };
  return {
    ...{ world, clock, origin, switches, faults, journal },
    tokens: createTokens(world, now, random, switches.values),
    courier: createCourier(parts),
  };
}
