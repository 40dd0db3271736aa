import { Pool } from "undici";
import { pause } from "../waiting.ts";
import { answer, instant } from "./child.ts";
import { quantile } from "./rounds.ts";
import { type Said, type Target, webhook } from "./webhooks.ts";

// The load, in a process of its own.

export interface Ground {
  origin: string;
  targets: Target[];
  said: Said;
  /** Of each account. */
  chats: number;
  connections: number;
}
export interface Went {
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
const poolOf = ({ origin, connections }: Ground): Pool => {
  const key = `${origin} ${connections}`;
  const pool = pools.get(key) ?? new Pool(origin, { connections, pipelining: 1 });
  pools.set(key, pool);
  return pool;
};

/** One more message, to whosever turn it is; resolves with whether it was taken. */
async function say(ground: Ground): Promise<boolean> {
  last += 1;
  const { path, headers, body } = webhook(ground, last);
  try {
    const answered = await poolOf(ground).request({ method: "POST", path, headers, body });
    await answered.body.dump();
    return answered.statusCode === 200;
  } catch {
    return false;
  }
}

function tally(beganAt: number, times: number[], failed: number): Went {
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

/** Every connection asks again as soon as it is answered, `count` messages in all or for so long. */
async function flood({
  ground,
  count = Number.POSITIVE_INFINITY,
  ms = Number.POSITIVE_INFINITY,
}: Flood): Promise<Went> {
  const beganAt = instant();
  const times: number[] = [];
  let left = count;
  let failed = 0;
  const one = async () => {
    while (left > 0 && instant() - beganAt < ms) {
      left -= 1;
      const askedAt = instant();
      if (await say(ground)) times.push(instant() - askedAt);
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: ground.connections }, one));
  return tally(beganAt, times, failed);
}
interface Flood {
  ground: Ground;
  count?: number;
  ms?: number;
}

/** So many a second whether or not they are answered; a message is late from the moment it was due. */
async function steady({ ground, rate, ms }: { ground: Ground; rate: number; ms: number }): Promise<Went> {
  const beganAt = instant();
  const times: number[] = [];
  let failed = 0;
  const open: Promise<void>[] = [];
  const one = async (dueAt: number) => {
    if (await say(ground)) times.push(instant() - dueAt);
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

/** One after another, each when the one before it has long arrived: when each left here, by its number. */
async function lone({ ground, count, gapMs }: { ground: Ground; count: number; gapMs: number }) {
  const left: [number, number][] = [];
  for (let n = 0; n < count; n++) {
    const askedAt = instant();
    if (await say(ground)) left.push([last, askedAt]);
    await pause(gapMs);
  }
  return left;
}

answer({ flood, steady, lone });
