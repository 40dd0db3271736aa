import type { Clock } from "../../domain/clock.ts";
import { Refusal } from "./reply.ts";
import { FILE_BYTES, MOST_FILES } from "./wire.ts";

/** What visitors bring: anybody may upload, so that without bounds anybody could fill the disk, or keep others from uploading. */
export interface Uploads {
  /** Makes room for a file of at most so many bytes. Throws Refusal. */
  reserve(by: Uploader, bytes: number): Place;
  /** A new message has brought these. */
  sent(fileIds: string[]): void;
}
export interface Uploader {
  visitor: string;
  address: string;
}
interface Place {
  /** The file is there, and this large. */
  fill(fileId: string, bytes: number): void;
  free(): void;
}

const MIB = 1024 * 1024;
/** Under way at once: a full message, and of an address (an office) less than half of a channel's bytes. */
const [VISITOR_OPEN, ADDRESS_OPEN] = [MOST_FILES, 12];
/** Not sent yet. Of one visitor: two full messages. Of a channel: what the busiest shop does not reach within the time. */
const [VISITOR_FILES, CHANNEL_FILES] = [2 * MOST_FILES, 5_000];
const [VISITOR_BYTES, CHANNEL_BYTES] = [MOST_FILES * FILE_BYTES, 512 * MIB];
/** What was not sent until then no longer counts; it is deleted within a day, ms. */
const COUNTS_MS = 3_600_000;
/** Sent or not, within a day; a new visitor costs nothing, so that the address counts, too. */
const [VISITOR_DAY, ADDRESS_DAY] = [200 * MIB, 512 * MIB];
const DAY_MS = 86_400_000;

/** After how long it is worth trying again, s. */
const AGAIN_AFTER = 30;
const TOMORROW = 3_600;

interface Upload extends Uploader {
  bytes: number;
  at: number;
  fileId?: string;
}

export function createUploads(clock: Clock): Uploads {
  const uploads = new Set<Upload>();
  const brought = createDay(clock);
  return {
    reserve({ visitor, address }, bytes) {
      const now = clock.monotonic();
      for (const upload of uploads) if (upload.fileId && upload.at < now - COUNTS_MS) uploads.delete(upload);
      const asked: Upload = { visitor, address, bytes, at: now };
      mayBring([...uploads], brought, asked);
      uploads.add(asked);
      const giveBack = brought.add(asked, bytes);
      return {
        fill(fileId, size) {
          giveBack(bytes - size);
          Object.assign(asked, { fileId, bytes: size });
        },
        free() {
          giveBack(bytes);
          uploads.delete(asked);
        },
      };
    },
    sent(fileIds) {
      for (const upload of uploads) if (upload.fileId && fileIds.includes(upload.fileId)) uploads.delete(upload);
    },
  };
}

function mayBring(all: Upload[], brought: Day, { visitor, address, bytes }: Upload): void {
  const own = all.filter((upload) => upload.visitor === visitor);
  const open = (some: Upload[]) => some.filter((upload) => !upload.fileId).length;
  const exceeds = (some: Upload[], files: number, most: number) =>
    some.length >= files || some.reduce((sum, upload) => sum + upload.bytes, bytes) > most;
  const no = (why: string, after = AGAIN_AFTER) => {
    throw new Refusal(429, why, "", after);
  };
  if (exceeds(own, VISITOR_FILES, VISITOR_BYTES)) no("Please send the files that you have added first");
  if (brought.of(visitor) + bytes > VISITOR_DAY)
    no("You have sent many files today, please send more tomorrow", TOMORROW);
  if (brought.of(address) + bytes > ADDRESS_DAY) no("Too many files today, please send more tomorrow", TOMORROW);
  if (open(own) >= VISITOR_OPEN || open(all.filter((upload) => upload.address === address)) >= ADDRESS_OPEN)
    no("Please wait until other files have been uploaded");
  if (exceeds(all, CHANNEL_FILES, CHANNEL_BYTES)) no("Too many files at the moment, please try again later");
}

interface Day {
  of(name: string): number;
  /** Counts for both names; the answer takes so many back. */
  add(by: Uploader, bytes: number): (bytes: number) => void;
}

/** Bytes by name since the day began, which is when the first came. Names of visitors and of addresses never meet. */
function createDay(clock: Clock): Day {
  let [began, sums] = [Number.NEGATIVE_INFINITY, new Map<string, number>()];
  return {
    of(name) {
      if (clock.monotonic() - began >= DAY_MS) [began, sums] = [clock.monotonic(), new Map()];
      return sums.get(name) ?? 0;
    },
    add({ visitor, address }, bytes) {
      const counted = sums;
      const count = (by: number) => {
        for (const name of [visitor, address]) counted.set(name, (counted.get(name) ?? 0) + by);
      };
      count(bytes);
      return (back) => count(-back);
    },
  };
}
