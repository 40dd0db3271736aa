import { createHmac } from "node:crypto";
import type { Address } from "../secrets.ts";

// What remains of erased messages, chats, customers and accounts: keyed hashes, so that nobody can tell whose they were.

/** In place of a channel's id: for names that are accounts' ids. */
export const ACCOUNTS = "accounts";
/** In place of a hash: the channel's whole account was erased. */
export const ALL = "*";
/** Of the hashes' key. */
export const ERASURE_KEY: Address = { table: "meta", row: "erasure_key", column: "value" };

export interface MessageKey {
  channelId: string;
  direction: "inbound" | "outbound";
  dedupeKey: string | null;
}

const digest = (key: string, parts: unknown[]) =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");

export const hashOf = (key: string, { channelId, direction, dedupeKey }: MessageKey): string =>
  digest(key, [channelId, direction, dedupeKey]);

export const nameHash = (key: string, channelId: string, name: string): string => digest(key, [channelId, name]);
