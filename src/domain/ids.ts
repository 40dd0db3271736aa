import { hash } from "node:crypto";
import type { Id } from "gangway-messenger/ids";

declare const space: unique symbol;

export type AccountId = Id<"account">;
/** An int64 of the gateway that may exceed 2^53: kept as text from the raw JSON on. */
export type GatewayChannelId = Id<"gateway channel">;
export type GatewayMessageId = Id<"gateway message">;
/** Position in the outbox: increasing, never reused. */
export type JobId = number & { readonly [space]: "job" };

/** Maximum characters of `external_chat_id` and `customer.external_id` at the gateway (contract). */
const GATEWAY_ID_LENGTH = 64;

/** The id as sent to the gateway: unchanged if it fits, else `h:` + base64url(sha256). */
export function fitGatewayId(id: string): string {
  if (id.length <= GATEWAY_ID_LENGTH || [...id].length <= GATEWAY_ID_LENGTH) return id;
  return `h:${hash("sha256", id, "base64url")}`;
}
