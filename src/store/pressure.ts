import { statfs } from "node:fs/promises";
import type Sqlite from "better-sqlite3";
import { type Bound, type Bounds, type Bringer, Overload } from "../domain/overload.ts";
import type { GroupCommit } from "./group-commit.ts";

/** How many jobs live, in memory: counted once at the start, then moved by the transactions that add and end them. */
export interface Pressure {
  /** Throws Overload when no more may come for the account or one of these lanes. */
  admit(accountId: string, lanes: () => Iterable<string>): void;
  /** Throws Overload when the disk is below the floor for files, or the channel has brought its share. */
  admitFile(channelId: string, bringer: Bringer, day: number): void;
  /** So much of the disk is taken until it is looked at again. */
  tookFile(bytes: number): void;
  added(accountId: string): void;
  ended(accountId: string, count?: number): void;
  /** Another process has added or ended jobs. */
  recount(): void;
  /** Takes back what a write has counted when it is undone. */
  within(write: GroupCommit["write"]): GroupCommit["write"];
  /** Looks at the disk; what it finds counts until the next look. */
  look(): Promise<DiskRoom>;
}

export interface DiskRoom {
  freeBytes: number;
  totalBytes: number;
  /** Nothing more is taken. */
  belowFloor: boolean;
}

/** Times the floor: files, which are large and may be refused, leave room for messages. */
const FILE_FLOORS = 2;

type Move = [accountId: string, by: number];

// The partial index holds live jobs only, so that neither costs more the more has been done.
const COUNT = `SELECT account_id AS accountId, count(*) AS live FROM job INDEXED BY job_lane
  WHERE state IN ('ready','sending','waiting') GROUP BY account_id`;
const DEPTH = "SELECT 1 FROM job WHERE lane = ? AND state IN ('ready','sending','waiting') LIMIT 1 OFFSET ?";

const KEPT = `SELECT coalesce(sum(bytes), 0) AS "all", coalesce(sum(bytes) FILTER (WHERE day = @day), 0) AS day
  FROM kept_sum WHERE channel_id = @channelId`;

export function createPressure(sqlite: Sqlite.Database, folder: string, bounds: Bounds): Pressure {
  const deeper = sqlite.prepare(DEPTH);
  const kept = sqlite.prepare<[object], { all: number; day: number }>(KEPT);
  const live = new Map<string, number>();
  const refused = new Map<string, number>();
  let [all, diskFull] = [0, false];
  let freeForFiles = Number.POSITIVE_INFINITY;
  let moves: Move[] | undefined;
  const apply = (accountId: string, by: number) => {
    const left = (live.get(accountId) ?? 0) + by;
    if (left > 0) live.set(accountId, left);
    else live.delete(accountId);
    all += by;
  };
  const move = (accountId: string, by: number) => {
    apply(accountId, by);
    moves?.push([accountId, by]);
  };
  const refuse = (bound: Bound, name: string): never => {
    const count = (refused.get(name) ?? 0) + 1;
    refused.set(name, count);
    throw new Overload(bound, count);
  };
  const count = sqlite.prepare<[], { accountId: string; live: number }>(COUNT);
  const recount = () => {
    live.clear();
    all = 0;
    for (const row of count.all()) apply(row.accountId, row.live);
  };
  recount();

  return {
    admit(accountId, lanes) {
      if (diskFull) refuse("disk", "disk");
      if (all >= bounds.all) refuse("process", "process");
      const own = live.get(accountId) ?? 0;
      if (own >= bounds.perAccount) refuse("account", accountId);
      // No lane is longer than its account's queue: most accounts never pay for a look.
      if (own < bounds.perLane) return;
      for (const lane of lanes()) if (deeper.get(lane, bounds.perLane - 1)) refuse("lane", accountId);
    },
    admitFile(channelId, bringer, day) {
      if (freeForFiles < 0) refuse("disk", "disk");
      const most = bounds.files[bringer];
      const sums = kept.get({ channelId, day });
      if (sums && (sums.all >= most.all || sums.day >= most.day)) refuse("files", `files of ${channelId}`);
    },
    tookFile(bytes) {
      freeForFiles -= bytes;
    },
    recount,
    added: (accountId) => move(accountId, 1),
    ended: (accountId, count = 1) => move(accountId, -count),
    within: (write) => (work, how) => {
      const own: Move[] = [];
      const counted = () => {
        moves = own;
        try {
          return work();
        } finally {
          moves = undefined;
        }
      };
      const undone = () => {
        for (const [accountId, by] of own.splice(0)) apply(accountId, -by);
        how?.undone?.();
      };
      return write(counted, { ...how, undone });
    },
    async look() {
      const { bavail, blocks, bsize } = await statfs(folder);
      const freeBytes = bavail * bsize;
      diskFull = freeBytes < bounds.diskFloor;
      freeForFiles = freeBytes - bounds.diskFloor * FILE_FLOORS;
      return { freeBytes, totalBytes: blocks * bsize, belowFloor: diskFull };
    },
  };
}
