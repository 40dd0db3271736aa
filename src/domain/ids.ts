import { hash, randomBytes, timingSafeEqual } from "node:crypto";

declare const space: unique symbol;
type Id<Space extends string> = string & { readonly [space]: Space };

export type AccountId = Id<"account">;
export type ChannelId = Id<"channel">;
/** An int64 of the gateway that may exceed 2^53: kept as text from the raw JSON on. */
export type GatewayChannelId = Id<"gateway channel">;
export type GatewayMessageId = Id<"gateway message">;
export type GatewayFileId = Id<"gateway file">;
export type MessengerMessageId = Id<"messenger message">;
/** The messenger's own id of the chat. */
export type ChatId = Id<"chat">;
export type CustomerId = Id<"customer">;
/** Position in the outbox: increasing, never reused. */
export type JobId = number & { readonly [space]: "job" };

/** Maximum characters of `external_chat_id` and `customer.external_id` at the gateway (contract). */
const GATEWAY_ID_LENGTH = 64;

/** The id as sent to the gateway: unchanged if it fits, else `h:` + base64url(sha256). */
export function fitGatewayId(id: string): string {
  if (id.length <= GATEWAY_ID_LENGTH || [...id].length <= GATEWAY_ID_LENGTH) return id;
  return `h:${hash("sha256", id, "base64url")}`;
}

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

// Each late file has a lane of its own: it neither waits for its chat nor delays it.

const MARK = "\n";

interface Laned {
  type: string;
  chat: ChatId;
  messengerMessageId?: MessengerMessageId;
  late?: object;
}

export const laneOf = ({ type, chat, messengerMessageId, late }: Laned): ChatId =>
  type === "message" && late ? (`${chat}${MARK}${messengerMessageId}` as ChatId) : chat;

/** The chat that a lane belongs to. */
export const chatOfLane = (lane: string): ChatId => (lane.split(MARK)[0] ?? lane) as ChatId;

/** The lanes of a chat's late files are between these. */
export const lateLanesOf = (chat: string) => ({ from: `${chat}${MARK}`, to: `${chat}\v` });
