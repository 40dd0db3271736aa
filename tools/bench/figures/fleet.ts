import { systemClock } from "gangway-messenger/clock";
import { newSecret } from "gangway-messenger/ids";
import { DEFAULT_BOUNDS } from "#product/domain/delivery";
import type { AccountId, GatewayChannelId } from "#product/domain/ids";
import { consoleSite } from "#product/http/console/site";
import { metricsSite } from "#product/http/metrics/site";
import { createLog } from "#product/log";
import { createBulk } from "#product/module/vendor/bulk";
import { createFleet } from "#product/module/vendor/fleet";
import { createPausing } from "#product/module/vendor/pausing";
import { createVendorUndelivered } from "#product/module/vendor/undelivered";
import type { Store } from "#product/store/store";
import { watchLedger } from "#product/watch/ledger";
import { addFailed, addStored } from "../backlog.ts";
import { figureOf } from "../rounds.ts";
import { freshFolder, open } from "../stage.ts";
import { bounded, type Measure, once, type Scale } from "./figure.ts";

const ROUNDS: Record<Scale, number> = { quick: 5, usual: 15, long: 41 };
const [ACCOUNTS, MESSAGES, FAILURES, CHATS] = [10_000, 200_000, 20_000, 5];
const TOKEN = "a-token-of-the-console-for-the-bench";
const log = createLog({ level: "silent", write() {} });

/** The vendor's look at ten thousand accounts: console and metrics, without a network. */
export const fleet: Measure = async (scale) => {
  const folder = freshFolder();
  const seeding = await open(folder);
  for (let n = 0; n < ACCOUNTS; n++) await addAccount(seeding, n);
  await seeding.close();
  addStored(folder, MESSAGES, CHATS);
  addFailed(folder, FAILURES, CHATS);
  const store = await open(folder);
  const ledger = watchLedger({ store, clock: systemClock, log });
  const began = performance.now();
  await ledger.look();
  const readMs = performance.now() - began;
  const sites = createSites(store, ledger);
  const times = async (work: () => Promise<Response>) => {
    const all: number[] = [];
    let bytes = 0;
    for (let n = 0; n <= ROUNDS[scale]; n++) {
      const began = performance.now();
      const answer = await work();
      bytes = (await answer.arrayBuffer()).byteLength;
      if (!answer.ok) throw new Error(`${answer.status}`);
      all.push(performance.now() - began);
    }
    return { ms: figureOf(all.slice(1)), bytes };
  };
  const list = await times(() => sites.ask("/accounts"));
  const byId = await times(() => sites.search("g7"));
  const byNone = await times(() => sites.search("g77"));
  const byWords = await times(() => sites.search("no such words"));
  const reasons = await times(() => sites.ask("/undelivered"));
  const scrape = await times(async () => sites.metrics.request("/metrics"));
  await store.close();
  const of = `of ${ACCOUNTS.toLocaleString("en")} accounts`;
  const row = (name: string, what: string, { ms }: typeof list, atMost: number) =>
    bounded({ name, what: `console ${of}: ${what}`, figure: ms, unit: " ms", atMost });
  return [
    row("console-list", "the list, a page of fifty", list, 100),
    row("console-find", "an id that every account has", byId, 200),
    row("console-find-none", "an id that no message has, then words among the newest 20,000 messages", byNone, 200),
    row("console-search", "words that nobody wrote, among the newest 20,000 messages", byWords, 200),
    row("console-reasons", `${FAILURES.toLocaleString("en")} undelivered messages by reason`, reasons, 200),
    bounded({
      ...{ name: "console-weight", what: `console ${of}: the list, uncompressed`, unit: " KiB", atMost: 50 },
      figure: once(list.bytes / 1024),
    }),
    bounded({
      ...{ name: "scrape", what: `metrics ${of}`, figure: scrape.ms, unit: " ms", atMost: 50 },
      detail: { kib: scrape.bytes / 1024 },
    }),
    {
      ...{ name: "ledger-read", what: `reading the ledger ${of}, once a minute, in one turn`, unit: " ms" },
      figure: once(readMs),
    },
  ];
};

async function addAccount(store: Store, n: number): Promise<void> {
  const account = await store.accounts.bind({
    ...{ crmUrl: `https://shop-${n}.example`, apiKey: newSecret(), clientId: newSecret(), webhookSecret: newSecret() },
    ...{ gatewayUrl: "https://gateway.example", gatewayToken: newSecret() },
  });
  const channel = await store.channels.add(account.id as AccountId, {
    kind: "webchat",
    name: "Shop chat",
    settings: {},
  });
  await store.channels.setGateway(channel.id, { id: String(n + 1) as GatewayChannelId, announced: "-" });
}

const never = async (): Promise<never> => {
  throw new Error("not part of what is measured");
};

function createSites(store: Store, ledger: ReturnType<typeof watchLedger>) {
  const parts = {
    token: TOKEN,
    moduleName: "Gangway",
    formBytes: 65_536,
    isAway: () => false,
    linkForSupport: async () => undefined,
    replays: {} as never,
    rollOut: {} as never,
    bulk: createBulk({ store, clock: systemClock, outboundPatienceMs: 0, wake() {} }),
    clock: systemClock,
    log,
  };
  const server = { limits: { calls: 256, callsPerAccount: 8 }, bounds: DEFAULT_BOUNDS };
  const pausing = createPausing({ store, through: "console", server });
  const fleet = createFleet({ store, checked: ledger.latest });
  const undelivered = createVendorUndelivered({ store, patienceMs: 60_000, wake: () => {} });
  const replays = { account: async () => undefined, rehearse: never, run: never };
  const api = { fleet, undelivered, replays, tokenOf: store.apiTokens.find, isAway: () => false, log };
  const site = consoleSite({ ...parts, pausing, fleet, api });
  const metrics = metricsSite({
    ...{ ledger, log, isAway: () => false, parked: store.parked.figures, disk: () => undefined },
    ...{
      build: { version: "", node: "", engine: "" },
      compared: () => [],
      apps: () => [],
      events: async () => ({ due: 0 }),
      lastBackup: store.audit.lastBackup,
    },
    meter: () => ({ inFlight: 0, attempts: [], delivery: [], endToEnd: [] }),
    traffic: { figures: () => ({ requests: [], durations: [] }) },
  });
  const post = (fields: Record<string, string>) => ({ method: "POST", body: new URLSearchParams(fields) });
  let session: Promise<{ cookie: string; formToken: string }> | undefined;
  const signedIn = () => {
    session ??= (async () => {
      const opened = await site.request("/sign-in", post({ token: TOKEN }));
      const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
      const page = await (await site.request("/messages", { headers: { cookie } })).text();
      return { cookie, formToken: /name="formToken" value="([^"]+)"/.exec(page)?.[1] ?? "" };
    })();
    return session;
  };
  return {
    metrics,
    ask: async (path: string) => site.request(path, { headers: { cookie: (await signedIn()).cookie } }),
    search: async (text: string) => {
      const { cookie, formToken } = await signedIn();
      return site.request("/messages", { ...post({ formToken, text }), headers: { cookie } });
    },
  };
}
