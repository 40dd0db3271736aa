import type { Id } from "gangway-messenger/ids";

declare const space: unique symbol;

export type AccountId = Id<"account">;
/** An int64 of the gateway that may exceed 2^53: kept as text from the raw JSON on. */
export type GatewayChannelId = Id<"gateway channel">;
export type GatewayMessageId = Id<"gateway message">;
/** Position in the outbox: increasing, never reused. */
export type JobId = number & { readonly [space]: "job" };
