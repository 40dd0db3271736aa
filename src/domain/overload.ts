/** How much may wait before senders are asked to come again later. */
export interface Bounds {
  /** Live jobs of one account, of one chat toward its messenger, and of all together. */
  perAccount: number;
  perLane: number;
  all: number;
  /** Bytes of the data folder's file system that have to stay free. */
  diskFloor: number;
  /** Files kept for one channel, by who brings them: bytes on one day (UTC), and in all. */
  files: Record<Bringer, { day: number; all: number }>;
}
export type Bringer = "customer" | "agent";

const GIB = 1024 ** 3;

export const DEFAULT_BOUNDS: Bounds = {
  perAccount: 10_000,
  perLane: 1_000,
  all: 200_000,
  diskFloor: 256 * 1024 ** 2,
  // A busy shop's customers bring some hundred pictures a day. What they fill leaves room for what agents send.
  files: {
    customer: { day: GIB, all: 15 * GIB },
    agent: { day: Number.POSITIVE_INFINITY, all: 20 * GIB },
  },
};

/** For who comes beside the server, and is a person. */
export const BOUNDLESS: Bounds = {
  perAccount: Number.POSITIVE_INFINITY,
  perLane: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
  diskFloor: 0,
  files: {
    customer: { day: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY },
    agent: { day: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY },
  },
};

export type Bound = "account" | "channel" | "lane" | "process" | "disk" | "files";

/** What is said of each, and after how long it is worth asking again, s. */
const WORDS: Record<Bound, { words: string; retryAfter: number }> = {
  lane: { words: "Too many messages of this chat are waiting", retryAfter: 5 },
  channel: { words: "Too many messages of this channel are waiting", retryAfter: 10 },
  account: { words: "Too many messages of this account are waiting", retryAfter: 10 },
  process: { words: "The server has too much to do", retryAfter: 15 },
  files: { words: "This chat takes no more files for now", retryAfter: 3_600 },
  disk: { words: "The server's disk is nearly full", retryAfter: 30 },
};

/** Nothing was stored: who brought it has to bring it again. */
export class Overload extends Error {
  readonly bound: Bound;
  /** Seconds. */
  readonly retryAfter: number;
  /** How often the account (of process and disk: anybody) has been told so, this time included. */
  readonly count: number;
  constructor(bound: Bound, count: number) {
    const { words, retryAfter } = WORDS[bound];
    super(`${words}; send it again later`);
    this.name = "Overload";
    this.bound = bound;
    this.retryAfter = retryAfter;
    this.count = count;
  }
}
