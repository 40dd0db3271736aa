import { Hono } from "hono";
import type { Account } from "../../src/domain/account.ts";
import type { Channel } from "../../src/domain/channel.ts";
import type { Bounds } from "../../src/domain/delivery.ts";
import { appDoor, messengerDoor } from "../../src/http/doors/doors.ts";
import { createRateLimit } from "../../src/http/doors/rate-limit.ts";
import type { Env } from "../../src/http/serving/request.ts";
import type { Log } from "../../src/log.ts";
import { createErasureRequests } from "../../src/module/account/erasure-requests.ts";
import { createApps } from "../../src/module/channels/apps.ts";
import { createAcceptInbound, createForwarding } from "../../src/relay/accept/inbound.ts";
import { createStreams } from "../../src/relay/sessions/feeds.ts";
import { createJournals, createSessions } from "../../src/relay/sessions/sessions.ts";
import type { Store } from "../../src/store/store.ts";
import { type Batch, groupOf, harbour, loginOf, SEAL, sealOf } from "../system/contract/toy/harbour.ts";
import { handClock } from "./clock.ts";
import { readRows } from "./engine.ts";
import { silentLog } from "./log.ts";
import { addAccount, addChannel, temporaryFolder, temporaryStore } from "./store.ts";

export const VENDORS = "the vendor's seal";

interface Stage {
  bounds?: Partial<Bounds>;
  folder?: string;
  /** Replaces verbs of the store. */
  instead?(store: Store): Partial<Store>;
}

export const letter = (id: string, text = id, from = "ship") => ({ id, from, text });
/** Letters by berth. */
export const batchOf = (berths: Record<string, ReturnType<typeof letter>[]>): Batch => ({
  berths: Object.entries(berths).map(([berth, letters]) => ({ berth, letters })),
});

/** The doors of a messenger with a vendor's app, over a real store, without a worker. */
export async function openHarbour({ bounds, folder = temporaryFolder(), instead = () => ({}) }: Stage = {}) {
  const clock = handClock();
  const real = await temporaryStore(clock, folder, { bounds });
  const store: Store = { ...real, ...instead(real) };
  const lines: [event: string, fields?: object][] = [];
  const note = (event: string, fields?: object) => void lines.push([event, fields]);
  const log: Log = { ...silentLog, info: note, warn: note, error: note };
  const server = { updates: "webhook" as const, secret: VENDORS, greeting: "ahoy" };
  const journals = createJournals(store);
  const sessions = createSessions({
    ...{ adapters: [harbour], store, journals, clock, publicUrl: "https://gangway.example", markup: "none" },
    streamsOf: createStreams(10),
    call: async () => ({ type: "failure", sent: "no", reason: "refused", detail: "no calls" }),
    serverOptions: () => server,
    gatewayOf: () => {
      throw new Error("no gateway");
    },
  });
  const acceptInbound = createAcceptInbound({ store, journals, wake() {}, log });
  const knocks: number[] = [];
  const doorAnswered = (_: unknown, status: number) => void knocks.push(status);
  const keepRaw = true;
  const { parked, forward } = createForwarding({ store, sessions, acceptInbound, keepRaw, doorAnswered, clock, log });
  const requests = createErasureRequests({ store, log });
  const erase = requests.ask;
  const changed = parked.changed;
  const apps = createApps({
    ...{ adapters: [harbour], serverOptions: () => server, store, forward, erase, changed, clock, log },
    publicUrl: "https://gangway.example",
  });
  const guarded = { guesses: createRateLimit(60, clock), addressOf: () => "198.51.100.1", log };
  const site = new Hono<Env>();
  const app = appDoor({ ...guarded, apps });
  site.all("/apps/:kind", app).all("/apps/:kind/*", app);
  const messenger = messengerDoor({ ...guarded, sessions, acceptInbound, forward, keepRaw, doorAnswered, clock });
  site.all("/m/:door", messenger).all("/m/:door/*", messenger);
  const ask = async (path: string, body: unknown, secret: string) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return site.request(path, { method: "POST", body: text, headers: { [SEAL]: sealOf(secret, text) } });
  };
  let started = false;
  const messages = async () => (await readRows(folder, ["message"])).message ?? [];
  return {
    ...{ store, clock, folder, site, server, sessions, parked, lines, knocks, requests },
    /** Asks at the door of the vendor's app. */
    deliver: (body: unknown, secret = VENDORS) => ask("/apps/harbour", body, secret),
    /** Asks at the channel's own door. */
    bring: ({ door }: Channel, body: unknown, secret: string, path = "") => ask(`/m/${door}${path}`, body, secret),
    account: (name: string) => addAccount(store, name),
    async berth(account: Account, berth: string, secret = "", fleet = ""): Promise<Channel> {
      const { id } = await addChannel(store, account, "harbour");
      await store.channels.change(id, { name: berth, settings: { berth, secret, fleet } });
      await store.channels.reserveIdentity(id, loginOf(berth));
      if (fleet) await store.channels.setGroups(id, [groupOf(fleet)]);
      return (await store.channels.byId(account.id, id)) as Channel;
    },
    /** Texts of what a channel has stored, in order. */
    letters: async ({ id }: Channel) =>
      (await messages())
        .filter(({ channel_id }) => channel_id === id)
        .map(({ payload }) => (JSON.parse(String(payload)) as { content: { text: string } }).content.text),
    waiting: async () => ((await readRows(folder, ["parked"])).parked ?? []).map(({ login }) => login),
    logged: (event: string) => lines.filter(([name]) => name === event).length,
    /** A round of reading what is parked. */
    async round() {
      if (started) return clock.forward(30_000);
      started = true;
      await parked.start();
    },
  };
}
