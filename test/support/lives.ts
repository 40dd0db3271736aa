import type { Call } from "gangway-messenger/call";
import type { Clock } from "gangway-messenger/clock";
import { createExplain } from "gangway-messenger/explanations";
import { planMessage } from "gangway-messenger/planning";
import type { ChannelAdapter } from "gangway-messenger/port";
import { onTestFinished } from "vitest";
import type { Channel } from "../../src/domain/channel.ts";
import type { Job } from "../../src/domain/delivery.ts";
import { COMMON_EXPLANATIONS } from "../../src/domain/explanations.ts";
import type { OutboundMessage } from "../../src/domain/message.ts";
import { createPermits, type Permits } from "../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../src/gateway/sending.ts";
import type { Log } from "../../src/log.ts";
import { createPerform } from "../../src/relay/deliver/attempt.ts";
import { waitingOutside } from "../../src/relay/deliver/quarantine.ts";
import { createBreakers, createPaces, createResting } from "../../src/relay/limits/limits.ts";
import { createStreams } from "../../src/relay/sessions/feeds.ts";
import {
  createForeignAnswers,
  createGateways,
  createJournals,
  createSessions,
  type Outside,
  type Sessions,
} from "../../src/relay/sessions/sessions.ts";
import type { Worker } from "../../src/relay/worker.ts";
import type { Store } from "../../src/store/store.ts";
import { handClock } from "./clock.ts";
import { forgetDead } from "./engine.ts";
import { agentSays } from "./events.ts";
import { silentLog } from "./log.ts";
import { seeded } from "./random.ts";
import { addAccount, addChannel, storeIn, temporaryFolder } from "./store.ts";
import { workerOf } from "./worker.ts";

interface Options {
  adapter: ChannelAdapter;
  /** The gateway. */
  call(clock: Clock): Call;
  settings?: unknown;
  seed?: number;
  /** A fault in our own code; runs before each job. */
  fault?(job: Job): Promise<void>;
  /** The CRM's new token, if it has one. */
  renewToken?(): Promise<string | undefined>;
}
/** The log entry of an attempt. */
interface Attempted {
  job: number;
  direction: string;
  attempt: number;
  verdict: string;
}
export type Life = { alive: boolean };

/** The relay on a real file and a test clock, over many lives of its process. */
export async function relayLives({ adapter, call, settings = {}, seed = 1, ...rest }: Options) {
  let waiting = 0;
  let pausedUntil = 0;
  // The permits' queue uses real timers; it stands still while the gateway has paused us.
  const clock = handClock(undefined, () => waiting > 0 && clock.now() >= pausedUntil);
  const folder = temporaryFolder();
  const random = seeded(seed).next;
  const attempts: Attempted[] = [];
  const note = (_: string, fields?: object) =>
    void (fields && "attempt" in fields && attempts.push(fields as Attempted));
  const log = { ...silentLog, info: note, warn: note };
  const open = () => storeIn(folder, clock, { onWork: (id) => life.alive && worker?.wake(id) });
  const calls = call(clock);
  let life: Life = { alive: false };
  let worker: Worker | undefined;
  let store = await open();
  const counted = (permits: Permits): Permits => ({
    countEarlier: permits.countEarlier,
    isQuiet: permits.isQuiet,
    pauseFor(key, ms) {
      pausedUntil = Math.max(pausedUntil, clock.now() + ms);
      permits.pauseFor(key, ms);
    },
    async run(key, priority, act, signal) {
      waiting += 1;
      const begun: typeof act = async (ended) => {
        waiting -= 1;
        return act(ended).finally(() => {
          waiting += 1;
        });
      };
      return permits.run(key, priority, begun, signal).finally(() => {
        waiting -= 1;
      });
    },
  });
  const begin = async () => {
    const mine = { alive: true };
    life = mine;
    waiting = 0;
    worker = createLife(
      { ...rest, store: mortal(store, mine), clock: mortalClock(clock, mine), adapter, call: calls, random, log },
      counted,
    );
    await worker.start();
  };
  const crash = async () => {
    life.alive = false;
    await clock.forward(0);
    await store.close();
    await forgetDead(folder);
    store = await open();
  };
  onTestFinished(async () => {
    life.alive = false;
    await store.close();
  });
  const account = await addAccount(store);
  const plain = await addChannel(store, account, adapter.kind);
  await store.channels.change(plain.id, { name: "Toy", settings: adapter.settings.parse(settings) });
  const channel = { ...plain, settings: adapter.settings.parse(settings) };
  return {
    ...{ clock, folder, account, channel, begin, crash, attempts },
    store: () => store,
    wake: () => worker?.wake(account.id),
    /** Accepts an agent's message like the gateway's door. */
    agentSays: (id: string, text = id, chat?: string) =>
      says(store, adapter, channel, agentSays(id, text, chat) as OutboundMessage),
  };
}

function says(store: Store, adapter: ChannelAdapter, channel: Channel, act: OutboundMessage): Promise<boolean> {
  const plan = planMessage(act, adapter.capabilities(channel.settings));
  return store.outbox.acceptOutbound(channel, { key: `sent:${act.gatewayMessageId}`, act, plan, patienceMs: 120_000 });
}

interface LifeParts extends Pick<Options, "fault" | "renewToken"> {
  store: Store;
  clock: Clock;
  adapter: ChannelAdapter;
  call: Call;
  random(): number;
  log: Log;
}
function createLife(
  { store, clock, adapter, call, random, log, fault, renewToken = async () => undefined }: LifeParts,
  counted: (permits: Permits) => Permits,
): Worker {
  const isDone = emptyAnswers();
  const outside: Outside = { call, permits: counted(createPermits(clock)), renewToken };
  const limits = {
    paces: createPaces(clock),
    breakers: createBreakers(clock, log),
    foreignAnswers: createForeignAnswers(clock),
  };
  const reach = (outside: Outside, main?: Sessions) => {
    const gatewayOf = createGateways({ ...outside, clock, isDone });
    const own = { call: outside.call, gatewayOf };
    const sessions =
      main?.standIns(own) ??
      createSessions({
        ...{ store, clock, ...own },
        adapters: [adapter],
        journals: createJournals(store),
        streamsOf: createStreams(10),
        publicUrl: "https://gangway.example",
        markup: "none",
        serverOptions: () => ({ updates: "webhook" }),
      });
    const explain = createExplain(COMMON_EXPLANATIONS);
    return { gatewayOf, sessions, perform: createPerform({ store, sessions, gatewayOf, ...limits, clock, explain }) };
  };
  const { gatewayOf, sessions, perform } = reach(outside);
  const resting = createResting({ store, gatewayOf, clock, log, wake: (id) => worker.wake(id) });
  const worker: Worker = workerOf({
    ...{ store, clock, random, log, rest: resting.rest },
    async perform(job, signal, waitOutside) {
      await fault?.(job);
      return (waitOutside ? reach(waitingOutside(outside, waitOutside), sessions).perform : perform)(job, signal);
    },
    adapter: () => adapter,
    limits: { calls: 64, callsPerAccount: 8 },
  });
  return worker;
}

const never = new Promise<never>(() => {});

/** Never resolves once the process is dead. */
export function mortal<Part extends object>(part: Part, life: Life): Part {
  const wrapped = Object.entries(part).map(([name, value]) => {
    if (typeof value !== "function") return [name, typeof value === "object" ? mortal(value, life) : value];
    const act = (...given: unknown[]) => {
      if (!life.alive) return never;
      const result = value(...given);
      return result instanceof Promise ? result.then((end) => (life.alive ? end : never)) : result;
    };
    return [name, act];
  });
  return Object.fromEntries(wrapped);
}

/** Its timers do not run once the process is dead. */
export const mortalClock = (clock: Clock, life: Life): Clock => ({
  now: clock.now,
  monotonic: clock.monotonic,
  after: (ms, run) => clock.after(ms, () => life.alive && run()),
});
