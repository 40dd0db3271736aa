/** How much may wait before senders are told to retry later. */
export interface Bounds {
  /** Live jobs: of one account, of one chat toward its messenger, and in total. */
  perAccount: number;
  perLane: number;
  all: number;
  /** Bytes to keep free on the data folder's file system. */
  diskFloor: number;
  /** Bytes of files stored for one channel, by uploader: on one day (UTC), and in total. */
  files: Record<Uploader, { day: number; all: number }>;
}
export type Uploader = "customer" | "agent";

const GIB = 1024 ** 3;

export const DEFAULT_BOUNDS: Bounds = {
  perAccount: 10_000,
  perLane: 1_000,
  all: 200_000,
  diskFloor: 256 * 1024 ** 2,
  // A busy shop's customers send a few hundred pictures a day. Their limit leaves room for agents' files.
  files: {
    customer: { day: GIB, all: 15 * GIB },
    agent: { day: Number.POSITIVE_INFINITY, all: 20 * GIB },
  },
};

/** For operators' commands, which people run next to the server. */
export const UNLIMITED: Bounds = {
  perAccount: Number.POSITIVE_INFINITY,
  perLane: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
  diskFloor: 0,
  files: {
    customer: { day: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY },
    agent: { day: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY },
  },
};

export type Bound = "account" | "channel" | "lane" | "process" | "disk" | "files" | "bucket" | "loss";

/** The text of each, and when to retry, s. */
const WORDS: Record<Bound, { words: string; retryAfter: number }> = {
  lane: { words: "Too many messages of this chat are waiting", retryAfter: 5 },
  channel: { words: "Too many messages of this channel are waiting", retryAfter: 10 },
  account: { words: "Too many messages of this account are waiting", retryAfter: 10 },
  process: { words: "The server has too much to do", retryAfter: 15 },
  files: { words: "This chat takes no more files for now", retryAfter: 3_600 },
  bucket: { words: "Files can be neither stored nor read now", retryAfter: 30 },
  disk: { words: "The server's disk is nearly full", retryAfter: 30 },
  loss: { words: "The server waits for its operator", retryAfter: 30 },
};

/** Nothing was stored: the sender must send it again. */
export class Overload extends Error {
  readonly bound: Bound;
  /** Seconds. */
  readonly retryAfter: number;
  /** Refusals so far, this one included: of the account; of the channel for `channel` and `files`; of all for the others. */
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
