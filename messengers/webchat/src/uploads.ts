import type { Clock } from "gangway-messenger/clock";
import { Refusal } from "./reply.ts";
import { FILE_BYTES, MAX_FILES } from "./wire.ts";

/** Limits uploads of visitors: anybody can open a chat, and must not fill the disk or block the uploads of others. */
export interface Uploads {
  /** Reserves room for a file of up to `bytes`. Throws Refusal. */
  reserve(by: Uploader, bytes: number): Reservation;
  /** A new message contains these files: they no longer count as unsent. */
  sent(fileIds: string[]): void;
}
export interface Uploader {
  visitor: string;
  address: string;
}
interface Reservation {
  /** The upload is complete; counts its real size. */
  complete(fileId: string, bytes: number): void;
  /** The upload failed. */
  release(): void;
}

const MIB = 1024 * 1024;
/** Concurrent uploads. Visitor: a full message. Address (an office): less than half of a channel's bytes. */
const [VISITOR_OPEN, ADDRESS_OPEN] = [MAX_FILES, 12];
/** Unsent files. Visitor: two full messages. Channel: more than the busiest shop needs within UNSENT_MS. */
const [VISITOR_FILES, CHANNEL_FILES] = [2 * MAX_FILES, 5_000];
const [VISITOR_BYTES, CHANNEL_BYTES] = [MAX_FILES * FILE_BYTES, 512 * MIB];
/** After this a file no longer counts as unsent, ms; the store deletes it within a day. */
const UNSENT_MS = 3_600_000;
/** Bytes per day, sent or not. By address too, since anybody can become a new visitor. */
const [VISITOR_DAY, ADDRESS_DAY] = [200 * MIB, 512 * MIB];
const DAY_MS = 86_400_000;

/** Retry-After, s. */
const RETRY_AFTER = 30;
const RETRY_AFTER_DAY_LIMIT = 3_600;

interface Upload extends Uploader {
  bytes: number;
  at: number;
  fileId?: string;
}

export function createUploads(clock: Clock): Uploads {
  const uploads = new Set<Upload>();
  const today = createDailyTotals(clock);
  return {
    reserve({ visitor, address }, bytes) {
      const now = clock.monotonic();
      for (const upload of uploads) if (upload.fileId && upload.at < now - UNSENT_MS) uploads.delete(upload);
      const upload: Upload = { visitor, address, bytes, at: now };
      checkLimits([...uploads], today, upload);
      uploads.add(upload);
      const subtract = today.add(upload, bytes);
      return {
        complete(fileId, size) {
          subtract(bytes - size);
          Object.assign(upload, { fileId, bytes: size });
        },
        release() {
          subtract(bytes);
          uploads.delete(upload);
        },
      };
    },
    sent(fileIds) {
      for (const upload of uploads) if (upload.fileId && fileIds.includes(upload.fileId)) uploads.delete(upload);
    },
  };
}

function checkLimits(all: Upload[], today: DailyTotals, { visitor, address, bytes }: Upload): void {
  const own = all.filter((upload) => upload.visitor === visitor);
  const open = (some: Upload[]) => some.filter((upload) => !upload.fileId).length;
  const exceeds = (some: Upload[], maxFiles: number, maxBytes: number) =>
    some.length >= maxFiles || some.reduce((sum, upload) => sum + upload.bytes, bytes) > maxBytes;
  const no = (why: string, retryAfter = RETRY_AFTER) => {
    throw new Refusal(429, why, "", retryAfter);
  };
  if (exceeds(own, VISITOR_FILES, VISITOR_BYTES)) no("Please send the files that you have added first");
  if (today.of(visitor) + bytes > VISITOR_DAY)
    no("You have sent many files today, please send more tomorrow", RETRY_AFTER_DAY_LIMIT);
  if (today.of(address) + bytes > ADDRESS_DAY)
    no("Too many files today, please send more tomorrow", RETRY_AFTER_DAY_LIMIT);
  if (open(own) >= VISITOR_OPEN || open(all.filter((upload) => upload.address === address)) >= ADDRESS_OPEN)
    no("Please wait until other files have been uploaded");
  if (exceeds(all, CHANNEL_FILES, CHANNEL_BYTES)) no("Too many files at the moment, please try again later");
}

interface DailyTotals {
  of(name: string): number;
  /** Counts for visitor and address. The result subtracts bytes again. */
  add(by: Uploader, bytes: number): (bytes: number) => void;
}

/** Bytes by name. A day begins with the first upload after the last day. Visitor ids never equal addresses. */
function createDailyTotals(clock: Clock): DailyTotals {
  let [began, sums] = [Number.NEGATIVE_INFINITY, new Map<string, number>()];
  return {
    of(name) {
      if (clock.monotonic() - began >= DAY_MS) [began, sums] = [clock.monotonic(), new Map()];
      return sums.get(name) ?? 0;
    },
    add({ visitor, address }, bytes) {
      const counted = sums;
      const count = (by: number) => {
        for (const name of [visitor, address]) {
          const sum = (counted.get(name) ?? 0) + by;
          if (sum > 0) counted.set(name, sum);
          else counted.delete(name);
        }
      };
      count(bytes);
      return (less) => count(-less);
    },
  };
}
