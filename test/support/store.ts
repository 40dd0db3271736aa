import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "gangway-messenger/clock";
import { type ChatId, newSecret } from "gangway-messenger/ids";
import { afterAll, onTestFinished } from "vitest";
import type { Account, Lease } from "../../src/domain/account.ts";
import type { Channel } from "../../src/domain/channel.ts";
import { type Bounds, DEFAULT_BOUNDS } from "../../src/domain/delivery.ts";
import type { AccountId, GatewayChannelId } from "../../src/domain/ids.ts";
import type { LeaseStore, Taken } from "../../src/store/accounts.ts";
import { openStore } from "../../src/store/open.ts";
import type { DatabaseDisk, Store, StoreOptions } from "../../src/store/store.ts";
import { addToSum, searchForSecrets } from "./canaries.ts";
import { type HandClock, handClock } from "./clock.ts";
import { clearDatabase, databaseUrl } from "./engine.ts";
import { putNewDatabase } from "./new-database.ts";

export const KEY_RING = { keys: [{ id: "test", key: Buffer.alloc(32, 7) }] };
/** The key ring for resealing. */
export const NEXT_RING = { keys: [{ id: "next", key: Buffer.alloc(32, 8) }] };

/** Default retention. */
export const RETAIN_DAYS = { settled: 7, dedupe: 90, dead: 90, audit: 730, journal: 365, notes: 90 };

/** Takes what ends a thing: after the test, unless it outlives it. */
export type Ending = (end: () => void | Promise<void>) => void;

/** For what the tests of a file or group share: it ends after the last of them, what came last first. Not within a hook. */
export function afterTests(): Ending {
  const ends: Parameters<Ending>[0][] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return (end) => void ends.unshift(end);
}

/** A folder removed after the test, which fails if a secret of its databases appears unsealed anywhere. */
export function temporaryFolder(ending: Ending = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "gangway-test-"));
  ending(async () => {
    try {
      addToSum(await searchForSecrets(folder, { keys: [...KEY_RING.keys, ...NEXT_RING.keys] }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
      await clearDatabase(folder);
    }
  });
  return folder;
}

export interface StoreChanges
  extends Pick<StoreOptions, "erasableNotes" | "onWork" | "onFull" | "bucket" | "onBucketFault"> {
  bounds?: Partial<Bounds>;
}

/** A real store on the database of a data folder, closed after the test. */
export async function temporaryStore(
  clock: Clock = systemClock,
  folder = temporaryFolder(),
  changes: StoreChanges = {},
): Promise<Store> {
  const store = await storeIn(folder, clock, changes);
  onTestFinished(() => store.close());
  return store;
}

/** A store on the database of a data folder; close it. */
export async function storeIn(
  folder: string,
  clock: Clock = systemClock,
  { bounds, ...more }: StoreChanges & Pick<StoreOptions, "shared"> = {},
): Promise<Store> {
  if (!more.shared) putNewDatabase(folder);
  const heard: Heard = {};
  const given = { folder, keyRing: KEY_RING, clock, bounds: { ...DEFAULT_BOUNDS, ...bounds } };
  const onWork = (id: AccountId) => heard.wake?.(id);
  const store = await openStore({ ...given, onWork, ...more, databaseUrl: await databaseUrl(folder) });
  hearing.set(store, heard);
  return store;
}

interface Heard {
  wake?(id: AccountId): void;
}
const hearing = new WeakMap<object, Heard>();

/** The store tells this worker of new work. */
export function hears(store: object, worker: Required<Heard>): void {
  const heard = hearing.get(store);
  if (heard) heard.wake = (id) => worker.wake(id);
}

/** As a customer's own wish does. */
export const eraseChat = ({ erasure }: Pick<Store, "erasure">, { id, accountId }: Channel, chat: ChatId) =>
  erasure.customer(accountId, { channelId: id, chat }, { actor: "customer", action: "customer erased" });

/** The disk of a store on SQLite. */
export function diskOf({ disk }: Store): DatabaseDisk {
  if (!disk) throw new Error("the store is not on SQLite");
  return disk;
}

export const addAccount = (store: { accounts: Pick<Store["accounts"], "bind"> }, name = "shop"): Promise<Account> =>
  store.accounts.bind({
    crmUrl: `https://${name}.retailcrm.ru`,
    apiKey: `key-${newSecret()}`,
    clientId: newSecret(),
    webhookSecret: newSecret(),
    gatewayUrl: "https://gateway.example/api/transport/v1",
    gatewayToken: `token-${newSecret()}`,
  });

let lastGatewayId = 0;
/** Takes an account's lease as the process `owner`, after another one has left. */
export async function takeLease({ leases }: Pick<Store, "leases">, id: AccountId, owner = "test"): Promise<Lease> {
  const last = members.get(leases);
  // Nobody takes what one holds.
  const name = leases.shared ? `${owner} ${newSecret()}` : owner;
  if (last !== name) {
    if (last) await leases.leave(last);
    await leases.join({ owner: name, ttlMs: 3_600_000 });
    members.set(leases, name);
  }
  const [taken] = await leases.take([id], name);
  return (taken as Taken).lease;
}
const members = new WeakMap<LeaseStore, string>();

export async function addChannel(store: Pick<Store, "channels">, account: Account, kind = "toy"): Promise<Channel> {
  const channel = await store.channels.add(account.id, { kind, name: "Toy", settings: {} });
  lastGatewayId += 1;
  await store.channels.setGateway(channel.id, { id: String(lastGatewayId) as GatewayChannelId, announced: "-" });
  const known = await store.channels.byId(account.id, channel.id);
  if (!known) throw new Error("the channel is gone");
  return known;
}

/** A store with one account and one channel, on a clock that the test moves. */
export async function oneChannel(how: StoreChanges & { clock?: HandClock; kind?: string; folder?: string } = {}) {
  const { clock = handClock(), kind, folder = temporaryFolder(), ...changes } = how;
  const store = await temporaryStore(clock, folder, changes);
  const account = await addAccount(store);
  const channel = await addChannel(store, account, kind);
  return { clock, folder, store, account, channel };
}
