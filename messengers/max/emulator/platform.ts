import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { ByteStore } from "gangway-messenger/kit/emulator/byte-store";
import type { Journal } from "gangway-messenger/kit/emulator/journal";
import type { Courier } from "./courier.ts";
import type { MaxFaults } from "./faults.ts";
import type { Rates } from "./rates.ts";
import type { SwitchValues } from "./switches.ts";
import type { World } from "./world.ts";

export interface Medium {
  kind: string;
  name: string;
  mediaType: string;
  size: number;
}
/** An upload that messages can name by its token. */
export interface Upload {
  kind: string;
  medium: string;
  /** How often it is not ready yet. */
  notReady: number;
}

/** What the parts of the emulator share. */
export interface Platform {
  world: World;
  origin(): string;
  clock: EmulatorOptions["clock"];
  random(): number;
  switches(): SwitchValues;
  rates: Rates;
  faults: MaxFaults;
  journal: Journal;
  courier: Courier;
  bytes: ByteStore;
  media: Map<string, Medium>;
  uploads: Map<string, Upload>;
  /** Upload addresses that were given out: their kind, the token that came along, and whose they are. */
  addresses: Map<string, { kind: string; token: string }>;
}
