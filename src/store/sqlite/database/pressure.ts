import { statfs } from "node:fs/promises";
import type Sqlite from "better-sqlite3";
import { type Bound, type Bounds, Overload, type Uploader } from "../../../domain/overload.ts";
import type { DiskRoom } from "../../store.ts";
import type { GroupCommit } from "./group-commit.ts";

/** How many jobs live, in memory: counted once at the start, then moved by the transactions that add and end them. */
export interface Pressure {
  /** Throws Overload when no more may come for the channel in this direction, or toward one of these lanes. */
  admit(of: Coming, lanes: () => Iterable<string>): void;
  /** Throws Overload when the disk is below the floor for files, or the channel has brought its share. */
  admitFile(channelId: string, uploader: Uploader, day: number): void;
  /** So much of the disk is taken until it is looked at again. */
  tookFile(bytes: number): void;
  added(job: Counted): void;
  ended(job: Counted): void;
  /** Another process has added or ended jobs. */
  recount(): void;
  /** Takes back what a write has counted when it is undone. */
  within(write: GroupCommit["write"]): GroupCommit["write"];
  /** Looks at the disk; what it finds counts until the next look. */
  look(): Promise<DiskRoom>;
}

/** What counts of a job. */
export interface Counted {
  accountId: string;
  channelId: string;
  direction: string;
}
interface Coming extends Counted {
  direction: "inbound" | "outbound";
}

/** Times the floor: files, which are large and may be refused, leave room for messages. */
const FILE_FLOORS = 2;

/** What customers and what agents may have waiting, of an account's bound: neither can use up the other's share. */
const SHARES = { inbound: 0.75, outbound: 0.25 };
/** A channel may have so many times what is left of the share: one that floods always leaves a fifth of it, two a ninth. */
const OF_WHAT_IS_LEFT = 4;

// The partial index holds live jobs only, so that neither costs more the more has been done.
const COUNT = `SELECT account_id AS accountId, channel_id AS channelId, direction, count(*) AS live
  FROM job INDEXED BY job_lane WHERE state IN ('ready','sending','waiting') GROUP BY account_id, channel_id, direction`;
const DEPTH = "SELECT 1 FROM job WHERE lane = ? AND state IN ('ready','sending','waiting') LIMIT 1 OFFSET ?";

const KEPT = `SELECT coalesce(sum(bytes), 0) AS "all", coalesce(sum(bytes) FILTER (WHERE day = @day), 0) AS day
  FROM kept_sum WHERE channel_id = @channelId`;

export function createPressure(sqlite: Sqlite.Database, folder: string, bounds: Bounds): Pressure {
  const deeper = sqlite.prepare(DEPTH);
  const kept = sqlite.prepare<[object], { all: number; day: number }>(KEPT);
  const live = counting(sqlite);
  const refused = new Map<string, number>();
  let diskFull = false;
  let freeForFiles = Number.POSITIVE_INFINITY;
  const refuse = (bound: Bound, name: string): never => {
    const count = (refused.get(name) ?? 0) + 1;
    refused.set(name, count);
    throw new Overload(bound, count);
  };

  return {
    admit(of, lanes) {
      const { accountId, channelId, direction } = of;
      if (diskFull) refuse("disk", "disk");
      if (live.all() >= bounds.all) refuse("process", "process");
      const share = Math.min(bounds.perAccount, Math.max(1, Math.floor(bounds.perAccount * SHARES[direction])));
      const left = share - live.ofAccount(of);
      if (left <= 0) refuse("account", accountId);
      if (live.ofChannel(of) >= left * OF_WHAT_IS_LEFT) refuse("channel", channelId);
      // What customers write is never refused for one long chat: their messenger would hold up all others with it.
      if (direction === "inbound" || live.ofChannel(of) < bounds.perLane) return;
      for (const lane of lanes()) if (deeper.get(lane, bounds.perLane - 1)) refuse("lane", accountId);
    },
    admitFile(channelId, uploader, day) {
      if (freeForFiles < 0) refuse("disk", "disk");
      const most = bounds.files[uploader];
      const sums = kept.get({ channelId, day });
      if (sums && (sums.all >= most.all || sums.day >= most.day)) refuse("files", `files of ${channelId}`);
    },
    tookFile(bytes) {
      freeForFiles -= bytes;
    },
    recount: live.recount,
    added: (job) => live.move(job, 1),
    ended: (job) => live.move(job, -1),
    within: live.within,
    async look() {
      const { bavail, blocks, bsize } = await statfs(folder);
      const freeBytes = bavail * bsize;
      diskFull = freeBytes < bounds.diskFloor;
      freeForFiles = freeBytes - bounds.diskFloor * FILE_FLOORS;
      return { freeBytes, totalBytes: blocks * bsize, belowFloor: diskFull };
    },
  };
}

/** Live jobs by account and direction, by channel and direction, and of all. */
function counting(sqlite: Sqlite.Database) {
  const count = sqlite.prepare<[], Counted & { live: number }>(COUNT);
  const live = new Map<string, number>();
  let all = 0;
  let moves: [Counted, number][] | undefined;
  const account = ({ accountId, direction }: Counted) => `${accountId} ${direction}`;
  const channel = ({ channelId, direction }: Counted) => `${channelId}/${direction}`;
  const apply = (job: Counted, by: number) => {
    for (const name of [account(job), channel(job)]) {
      const left = (live.get(name) ?? 0) + by;
      if (left > 0) live.set(name, left);
      else live.delete(name);
    }
    all += by;
  };
  const recount = () => {
    live.clear();
    all = 0;
    for (const { live: jobs, ...of } of count.all()) apply(of, jobs);
  };
  recount();
  return {
    recount,
    all: () => all,
    ofAccount: (of: Counted) => live.get(account(of)) ?? 0,
    ofChannel: (of: Counted) => live.get(channel(of)) ?? 0,
    move(job: Counted, by: number) {
      apply(job, by);
      moves?.push([job, by]);
    },
    within:
      (write: GroupCommit["write"]): GroupCommit["write"] =>
      (work, how) => {
        const own: [Counted, number][] = [];
        const counted = () => {
          moves = own;
          try {
            return work();
          } finally {
            moves = undefined;
          }
        };
        const undone = () => {
          for (const [job, by] of own.splice(0)) apply(job, -by);
          how?.undone?.();
        };
        return write(counted, { ...how, undone });
      },
  };
}
