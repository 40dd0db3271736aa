import { consoleSite } from "../../src/http/console/site.ts";
import { createFleet } from "../../src/module/vendor/fleet.ts";
import { watchLedger } from "../../src/watch/ledger.ts";
import { busyStore } from "./busy-store.ts";
import { silentLog } from "./log.ts";
import { addChannel } from "./store.ts";

export const CONSOLE_TOKEN = "the-token-of-the-console-is-long-enough";
export const HOSTILE = '<img src=x onerror="document.title=1">';

/** The console of two accounts with messages of all ends; a channel has a hostile name. */
export async function busyConsole() {
  const made = await busyStore();
  const { store, clock, account } = made;
  await addChannel(store, account, HOSTILE);
  await store.channels.setState(made.channel.id, "stopped", "the token was refused");
  const ledger = watchLedger({ store, clock, log: silentLog });
  await ledger.look();
  const fleet = createFleet({ store, checked: ledger.latest });
  const parts = { token: CONSOLE_TOKEN, moduleName: "Gangway", formBytes: 65_536, fleet, clock, log: silentLog };
  return { ...made, site: consoleSite({ ...parts, isAway: () => false }) };
}
