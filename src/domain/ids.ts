import { hash, randomBytes, timingSafeEqual } from "node:crypto";

declare const space: unique symbol;
type Id<Space extends string> = string & { readonly [space]: Space };

export type AccountId = Id<"account">;
export type ChannelId = Id<"channel">;
/** A gateway number, kept as text from the raw JSON on: it is an int64 and may exceed 2^53. */
export type GatewayChannelId = Id<"gateway channel">;
export type GatewayMessageId = Id<"gateway message">;
export type GatewayFileId = Id<"gateway file">;
export type MessengerMessageId = Id<"messenger message">;
/** The chat as the messenger names it. */
export type ChatId = Id<"chat">;
export type CustomerId = Id<"customer">;
/** A position in the outbox: grows, is never used twice. */
export type JobId = number & { readonly [space]: "job" };

/** Most characters the gateway keeps of `external_chat_id` and `customer.external_id` (contract). */
const GATEWAY_ID_LENGTH = 64;

/** The id the gateway is told: as it is when it fits, else `h:` + base64url(sha256). */
export function fitGatewayId(id: string): string {
  if ([...id].length <= GATEWAY_ID_LENGTH) return id;
  return `h:${hash("sha256", id, "base64url")}`;
}

/** 256 random bits, base64url: for paths, client ids and session tokens. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** 128 random bits, base64url: for rows and files. */
export const newId = <T extends string>(): T => randomBytes(16).toString("base64url") as T;

/** What the database keeps of a secret it must find a row by. */
export const fingerprint = (secret: string): string => hash("sha256", secret, "base64url");

/** Compares in constant time, whatever the lengths. */
export const sameSecret = (given: string, right: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer"));
