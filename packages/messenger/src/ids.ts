import { hash, randomBytes, timingSafeEqual } from "node:crypto";

declare const space: unique symbol;
export type Id<Space extends string> = string & { readonly [space]: Space };

export type ChannelId = Id<"channel">;

export type GatewayFileId = Id<"gateway file">;
export type MessengerMessageId = Id<"messenger message">;
/** The messenger's own id of the chat. */
export type ChatId = Id<"chat">;
export type CustomerId = Id<"customer">;

/** 256 random bits, base64url: for paths, client ids and session tokens. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** 128 random bits, base64url: for rows and files. */
export const newId = <T extends string>(): T => randomBytes(16).toString("base64url") as T;

/** Stored instead of a secret, so that a row can be looked up by it. */
export const fingerprint = (secret: string): string => hash("sha256", secret, "base64url");

/** Compares in constant time, regardless of length. */
export const sameSecret = (given: string, right: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer"));

/** Control characters, line ends and invisible characters, except the joiner of emoji. */
const INVISIBLE = /(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const VISIBLE = /[^\s\p{Mn}\p{Cf}]/u;

/** A name in one line; empty if nothing of it is visible. */
export function cleanName(name: string): string {
  const shown = name.replace(INVISIBLE, "").trim();
  return VISIBLE.test(shown) ? shown : "";
}
