import { pause } from "gangway-sandbox/demo/waiting";
import { Pool } from "undici";
import { answer, cpuMs, instant } from "./child.ts";
import { quantile } from "./rounds.ts";
import { type Direction, type Target, webhook } from "./webhooks.ts";

// Generates the load in a process of its own.

export interface Workload {
  /** Of each process of the server. */
  origins: string[];
  targets: Target[];
  direction: Direction;
  /** Per account. */
  chats: number;
  connections: number;
  mixed?: boolean;
}
export interface LoadResult {
  answered: number;
  failed: number;
  /** Answers a second. */
  rate: number;
  p50: number;
  p99: number;
  beganAt: number;
}

let last = 0;
const pools = new Map<string, Pool>();
/** Each account's messages go to all processes by turns. */
const poolOf = ({ origins, connections, targets }: Workload, n: number): Pool => {
  const origin = origins[(n + Math.floor(n / targets.length)) % origins.length] as string;
  const key = `${origin} ${connections}`;
  const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1 });
  pools.set(key, pool);
  return pool;
};

/** Sends one message to the next target in turn; resolves with whether it was accepted. */
async function say(workload: Workload): Promise<boolean> {
  last += 1;
  const { path, headers, body } = webhook(workload, last);
  try {
    const answered = await poolOf(workload, last).request({ method: "POST", path, headers, body });
    await answered.body.dump();
    return answered.statusCode === 200;
  } catch {
    return false;
  }
}

function tally(beganAt: number, times: number[], failed: number): LoadResult {
  const seconds = (instant() - beganAt) / 1000;
  const answered = times.length;
  return {
    answered,
    failed,
    rate: answered / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    beganAt,
  };
}

/** Every connection sends its next message once the previous is answered, up to `count` in all or for `ms`. */
async function flood({
  workload,
  count = Number.POSITIVE_INFINITY,
  ms = Number.POSITIVE_INFINITY,
}: Flood): Promise<LoadResult> {
  const beganAt = instant();
  const times: number[] = [];
  let left = count;
  let failed = 0;
  const one = async () => {
    while (left > 0 && instant() - beganAt < ms) {
      left -= 1;
      const askedAt = instant();
      if (await say(workload)) times.push(instant() - askedAt);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: workload.connections }, one));
  return tally(beganAt, times, failed);
}
interface Flood {
  workload: Workload;
  count?: number;
  ms?: number;
}

/** Sends at a fixed rate, answered or not; latency counts from the due time. */
async function steady({ workload, rate, ms }: { workload: Workload; rate: number; ms: number }): Promise<LoadResult> {
  const beganAt = instant();
  const times: number[] = [];
  let failed = 0;
  const open: Promise<void>[] = [];
  const one = async (dueAt: number) => {
    if (await say(workload)) times.push(instant() - dueAt);
    else failed += 1;
  };
  for (let n = 0; n < (rate * ms) / 1000; n++) {
    const dueAt = beganAt + (n * 1000) / rate;
    if (dueAt > instant()) await pause(dueAt - instant());
    open.push(one(dueAt));
  }
  await Promise.all(open);
  return tally(beganAt, times, failed);
}

/** Sends one message at a time, with pauses; returns each message's number and send time. */
async function lone({ workload, count, gapMs }: { workload: Workload; count: number; gapMs: number }) {
  const left: [number, number][] = [];
  for (let n = 0; n < count; n++) {
    const askedAt = instant();
    if (await say(workload)) left.push([last, askedAt]);
    await pause(gapMs);
  }
  return left;
}

answer({ flood, steady, lone, cpuMs });
