import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/domain/delivery.ts";
import { consoleSite } from "../../src/http/console/site.ts";
import { listen } from "../../src/http/serving/listening.ts";
import { createBulk } from "../../src/module/vendor/bulk.ts";
import { createFleet } from "../../src/module/vendor/fleet.ts";
import { createPausing } from "../../src/module/vendor/pausing.ts";
import { createReplays } from "../../src/module/vendor/replays.ts";
import { createRollOut } from "../../src/module/vendor/rollout.ts";
import { createLinkForSupport } from "../../src/module/vendor/support.ts";
import { createVendorUndelivered } from "../../src/module/vendor/undelivered.ts";
import { createJournals } from "../../src/relay/sessions/sessions.ts";
import { watchLedger } from "../../src/watch/ledger.ts";
import { busyStore } from "./busy-store.ts";
import { silentLog } from "./log.ts";
import { addPageAssets } from "./page-assets.ts";
import { configOf, OWN } from "./site.ts";
import { addChannel } from "./store.ts";

export const CONSOLE_TOKEN = "the-token-of-the-console-is-long-enough";
export const HOSTILE = '<img src=x onerror="document.title=1">';

/** Opens the console's sign-in in a browser; it is served until the test ends. */
export async function consoleIn(page: Page, { site }: { site: ReturnType<typeof consoleSite> }): Promise<string> {
  const server = listen(site.fetch, { port: 0 });
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  await addPageAssets(page);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await page.goto(`${origin}/`);
  return origin;
}

/** Signs in there. */
export async function signIn(page: Page): Promise<void> {
  await page.getByLabel("The console's token").fill(CONSOLE_TOKEN);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Accounts" }).waitFor();
}

export const SERVER = { limits: { calls: 256, callsPerAccount: 8 }, bounds: DEFAULT_BOUNDS };

/** The console of two accounts with messages of all ends; a channel has a hostile name. */
export async function busyConsole() {
  const made = await busyStore();
  const { store, clock, account } = made;
  await store.vendorEvents.listen(true);
  await addChannel(store, account, HOSTILE);
  await store.channels.setState(made.channel.id, "stopped", "the token was refused");
  const ledger = watchLedger({ store, clock, log: silentLog });
  await ledger.look();
  const fleet = createFleet({ store, checked: ledger.latest });
  const linkForSupport = createLinkForSupport({ store, publicUrl: OWN });
  const pausing = createPausing({ store, through: "console", server: SERVER });
  const own = { token: CONSOLE_TOKEN, moduleName: "Gangway", formBytes: 65_536 };
  const undelivered = createVendorUndelivered({ store, patienceMs: 60_000, wake: () => {} });
  const bulk = createBulk({ store, clock, outboundPatienceMs: 3_600_000, wake: () => {} });
  const config = await configOf(made.folder);
  const journals = createJournals(store);
  const replays = createReplays({ config, store, journals, adapters: [], clock, wake: () => {} });
  const api = { fleet, undelivered, replays, tokenOf: store.apiTokens.find, isAway: () => false, log: silentLog };
  const known = new Set<string>();
  const rollOut = createRollOut({
    ...{ store, log: silentLog, isAnnounced: async ({ id }) => known.has(id) },
    async announceAll({ id }) {
      for (const channel of await store.channels.list(id)) known.add(channel.id);
    },
  });
  const acting = { fleet, linkForSupport, pausing, bulk, replays, rollOut };
  const parts = { ...own, api, ...acting, clock, log: silentLog, isAway: () => false };
  return { ...made, ledger, parts, site: consoleSite(parts) };
}

/** A form as a browser posts it from the console's own page. */
export const form = (fields: Record<string, string>, headers: Record<string, string> = {}) => ({
  method: "POST",
  body: new URLSearchParams(fields),
  headers: { host: "console.example", origin: "http://console.example", ...headers },
});

/** The same, with a session. */
export async function signedIn() {
  const made = await busyConsole();
  const { site } = made;
  const opened = await site.request("/sign-in", form({ token: CONSOLE_TOKEN }));
  const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
  const ask = (path: string, init: RequestInit = {}) =>
    site.request(path, { ...init, headers: { cookie, ...(init.headers as Record<string, string>) } });
  const page = async (path: string) => (await ask(path)).text();
  const formToken = async () => /name="formToken" value="([^"]+)"/.exec(await page("/messages"))?.[1] ?? "";
  const search = async (text: string) => {
    const answer = await ask("/messages", form({ formToken: await formToken(), text }));
    return { status: answer.status, text: await answer.text() };
  };
  return { ...made, opened, cookie, ask, page, formToken, search };
}
