import type { Bounds, Uploader } from "../../../domain/delivery/overload.ts";

/** Where bytes of kept files are. They come before the row that names their file. */
export interface FileBytes {
  /** Resolves with their number. */
  add(id: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
  read(id: string): AsyncIterable<Uint8Array>;
  /** How many are there; undefined: not all. */
  sizeOf(id: string): Promise<number | undefined>;
  remove(id: string): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Bytes kept for a channel: in all, and since the day began. */
export const KEPT_SUMS = `SELECT coalesce(sum(bytes), 0) AS "all", coalesce(sum(bytes) FILTER (WHERE day = @day), 0) AS day
  FROM kept_sum WHERE channel_id = @channelId`;
export type KeptSums = Record<"all" | "day", number>;

/** Days since 1970 (UTC). */
export const dayOf = (now: number): number => Math.floor(now / DAY_MS);

/** Whether the uploader's share of the channel's room is taken. */
export const isUsedUp = ({ files }: Bounds, uploader: Uploader, sums: KeptSums | undefined): boolean =>
  sums !== undefined && (sums.all >= files[uploader].all || sums.day >= files[uploader].day);
