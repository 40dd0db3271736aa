import { statfs } from "node:fs/promises";
import type Sqlite from "better-sqlite3";
import type { Direction } from "../../../domain/delivery.ts";
import type { Bounds, Uploader } from "../../../domain/overload.ts";
import { boundReached, DEEPER, mayFillLane, refusing } from "../../outbox/admission.ts";
import type { DiskSpace } from "../../store.ts";
import { isUsedUp, KEPT_SUMS, type KeptSums } from "../../tables/kept-files.ts";

/** Admission control. Counts live messages and owed acks in memory: once at the start, then with each transaction that adds or ends one. */
export interface Pressure {
  /** Throws Overload when the channel's direction or one of the lanes is full. */
  admit(of: Arriving, chats: () => Iterable<string>): void;
  /** Throws Overload when the disk is below the floor for files or the channel's quota is used up. */
  admitFile(channelId: string, uploader: Uploader, day: number): void;
  /** Subtracts a new file from the free space until the next check. */
  fileAdded(bytes: number): void;
  added(of: Counted): void;
  ended(of: Counted): void;
  /** For when another process has added or ended messages. */
  recount(): void;
  /** Measures free space; the result holds until the next check. */
  checkDisk(): Promise<DiskSpace>;
}

/** What a message is counted by. */
interface Counted {
  accountId: string;
  channelId: string;
  direction: Direction;
}
interface Arriving extends Counted {
  direction: "inbound" | "outbound";
}

type Live = Record<Direction, number>;

/** A chat in the direction of the arriving message. */
type LaneOf = { channelId: string; direction: string; chat: string };

/** Files need this multiple of the floor: they are large, may be refused, and must leave room for messages. */
const FILE_FLOOR_FACTOR = 2;

// The partial indexes hold live messages and owed acks only, so the cost does not grow with finished ones.
const COUNT = `SELECT account_id AS accountId, channel_id AS channelId, direction, count(*) AS live
    FROM message INDEXED BY message_lane WHERE state IN ('ready','sending','waiting') GROUP BY account_id, channel_id, direction
  UNION ALL SELECT account_id, channel_id, 'ack', count(*)
    FROM message INDEXED BY message_ack WHERE ack IN ('due','sending') GROUP BY account_id, channel_id`;

/** `onUndo`: of the write that is running. */
export function createPressure(
  sqlite: Sqlite.Database,
  folder: string,
  bounds: Bounds,
  onUndo: (undo: () => void) => void,
): Pressure {
  const deeper = sqlite.prepare<[LaneOf & { limit: number }]>(DEEPER);
  const kept = sqlite.prepare<[object], KeptSums>(KEPT_SUMS);
  const live = countLive(sqlite, onUndo);
  const refuse = refusing();
  let diskFull = false;
  let freeForFiles = Number.POSITIVE_INFINITY;

  return {
    admit(of, chats) {
      const { accountId, channelId, direction } = of;
      if (diskFull) refuse("disk");
      const ofAccount = live.ofAccount(accountId)[direction];
      const waiting = { all: live.all(), ofAccount, ofChannel: live.ofChannel(channelId)[direction] };
      const reached = boundReached(bounds, direction, waiting);
      if (reached) refuse(reached, of);
      if (!mayFillLane(bounds, direction, waiting)) return;
      for (const chat of chats())
        if (deeper.get({ channelId, direction, chat, limit: bounds.perLane - 1 })) refuse("lane", of);
    },
    admitFile(channelId, uploader, day) {
      if (freeForFiles < 0) refuse("disk");
      if (isUsedUp(bounds, uploader, kept.get({ channelId, day }))) refuse("files", { channelId });
    },
    fileAdded(bytes) {
      freeForFiles -= bytes;
    },
    recount: live.recount,
    added: (of) => live.move(of, 1),
    ended: (of) => live.move(of, -1),
    async checkDisk() {
      const { bavail, blocks, bsize } = await statfs(folder);
      const freeBytes = bavail * bsize;
      diskFull = freeBytes < bounds.diskFloor;
      freeForFiles = freeBytes - bounds.diskFloor * FILE_FLOOR_FACTOR;
      return { freeBytes, totalBytes: blocks * bsize, belowFloor: diskFull };
    },
  };
}

/** Live messages and owed acks by direction: of each account, of each channel, and in total. */
function countLive(sqlite: Sqlite.Database, onUndo: (undo: () => void) => void) {
  const count = sqlite.prepare<[], Counted & { live: number }>(COUNT);
  const [accounts, channels] = [new Map<string, Live>(), new Map<string, Live>()];
  let all = 0;
  const liveOf = (of: Map<string, Live>, id: string): Live => {
    const known = of.get(id) ?? { inbound: 0, outbound: 0, ack: 0 };
    of.set(id, known);
    return known;
  };
  const move = ({ accountId, channelId, direction }: Counted, by: number) => {
    const [account, channel] = [liveOf(accounts, accountId), liveOf(channels, channelId)];
    account[direction] += by;
    channel[direction] += by;
    all += by;
    onUndo(() => {
      account[direction] -= by;
      channel[direction] -= by;
      all -= by;
    });
  };
  const recount = () => {
    accounts.clear();
    channels.clear();
    all = 0;
    for (const { live, ...of } of count.all()) move(of, live);
  };
  recount();
  return {
    recount,
    move,
    all: () => all,
    ofAccount: (id: string) => liveOf(accounts, id),
    ofChannel: (id: string) => liveOf(channels, id),
  };
}
