import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { createJournal, type Journal } from "gangway-messenger/kit/emulator/journal";
import type { Switches } from "gangway-messenger/kit/emulator/switches";
import type { Webhook } from "./apps.ts";
import { type Apps, createApps } from "./apps.ts";
import { type Courier, createCourier } from "./courier.ts";
import { createMetaFaults, type MetaFaults } from "./faults.ts";
import { handshake } from "./handshake.ts";
import { createMedia, type Media } from "./media.ts";
import { createRates, type Rates } from "./rates.ts";
import type { CourierSwitches } from "./switches.ts";
import { createTokens, type Tokens } from "./tokens.ts";

/** What the emulators of WhatsApp, Messenger and Instagram share. */
export interface Core {
  /** The webhook's `object`. */
  object: string;
  /** Which an app can subscribe to; undefined: any. */
  fields?: readonly string[];
  origin(): string;
  deliver: EmulatorOptions["deliver"];
  clock: Pick<Clock, "now" | "after">;
  random(): number;
  apps: Apps;
  tokens: Tokens;
  media: Media;
  rates: Rates;
  faults: MetaFaults;
  journal: Journal;
  courier: Courier;
  switches: Switches<CourierSwitches>;
  /** GET handshake with an address that subscribes. Throws GraphRefusal. */
  confirm(webhook: Webhook): Promise<void>;
  clear(): void;
  stop(): void;
}
export interface CoreParts extends EmulatorOptions {
  /** The webhook's `object`. */
  object: string;
  fields?: readonly string[];
  /** Of the courier, and more of the network. */
  switches: Switches<CourierSwitches>;
}

export function createCore({ object, fields, switches, random = Math.random, ...options }: CoreParts): Core {
  const { clock, deliver, origin } = options;
  const now = () => clock.now();
  const faults = createMetaFaults(now, random);
  const journal = createJournal();
  const signature = () => switches.values().signature ?? options.unknowns?.().webhookSignature ?? "raw";
  const courier = createCourier({
    object,
    clock,
    random,
    deliver,
    faults,
    journal,
    switches: switches.values,
    signature,
  });
  const kept = {
    apps: createApps(now, random),
    tokens: createTokens(now, random),
    media: createMedia(now, random),
    rates: createRates(now),
    faults,
    journal,
    courier,
    switches,
  };
  return {
    ...kept,
    object,
    ...(fields && { fields }),
    origin,
    deliver,
    clock,
    random,
    confirm: (webhook) => handshake({ clock, deliver, faults, journal }, webhook),
    clear() {
      for (const each of Object.values(kept)) each.clear();
    },
    stop() {
      courier.stop();
      kept.media.close();
    },
  };
}
