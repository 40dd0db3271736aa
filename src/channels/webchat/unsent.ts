import type { Clock } from "../../domain/clock.ts";
import { Refusal } from "./reply.ts";
import { FILE_BYTES, MOST_FILES } from "./wire.ts";

/** What visitors have uploaded and not yet sent: anybody may upload, so that without a bound anybody could fill the disk. */
export interface Unsent {
  /** Makes room for a file of at most so many bytes. Throws Refusal. */
  reserve(visitor: string, bytes: number): Place;
  sent(fileIds: string[]): void;
}
interface Place {
  /** The file is there, and this large. */
  fill(fileId: string, bytes: number): void;
  free(): void;
}

/** Of one visitor: two full messages. Of a channel: what the busiest shop does not reach within the time. */
const [VISITOR_FILES, CHANNEL_FILES] = [2 * MOST_FILES, 5_000];
const [VISITOR_BYTES, CHANNEL_BYTES] = [MOST_FILES * FILE_BYTES, 512 * 1024 * 1024];
/** What was not sent until then no longer counts; it is deleted within a day, ms. */
const COUNTS_MS = 3_600_000;

/** After how long it is worth trying again, s. */
const AGAIN_AFTER = 30;

interface Upload {
  visitor: string;
  bytes: number;
  at: number;
  fileId?: string;
}

export function unsentUploads(clock: Clock): Unsent {
  const uploads = new Set<Upload>();
  const exceeds = (files: number, bytes: number, mine: Upload[]) =>
    mine.length >= files || mine.reduce((sum, upload) => sum + upload.bytes, 0) > bytes;
  return {
    reserve(visitor, bytes) {
      const now = clock.monotonic();
      for (const upload of uploads) if (upload.fileId && upload.at < now - COUNTS_MS) uploads.delete(upload);
      const all = [...uploads];
      if (
        exceeds(
          VISITOR_FILES,
          VISITOR_BYTES - bytes,
          all.filter((upload) => upload.visitor === visitor),
        )
      )
        throw new Refusal(429, "Please send the files that you have added first", "", AGAIN_AFTER);
      if (exceeds(CHANNEL_FILES, CHANNEL_BYTES - bytes, all))
        throw new Refusal(429, "Too many files at the moment, please try again later", "", AGAIN_AFTER);
      const upload: Upload = { visitor, bytes, at: now };
      uploads.add(upload);
      return {
        fill: (fileId, size) => void Object.assign(upload, { fileId, bytes: size }),
        free: () => void uploads.delete(upload),
      };
    },
    sent(fileIds) {
      for (const upload of uploads) if (upload.fileId && fileIds.includes(upload.fileId)) uploads.delete(upload);
    },
  };
}
