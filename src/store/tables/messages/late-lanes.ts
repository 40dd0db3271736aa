import type { ChatId } from "../../../domain/ids.ts";
import type { RelayedEvent } from "../../../domain/message/message.ts";

// Each late file has a lane of its own: it neither waits for its chat nor delays it.

const MARK = "\n";

export const laneOf = (event: RelayedEvent): ChatId =>
  event.type === "message" && event.late ? (`${event.chat}${MARK}${event.messengerMessageId}` as ChatId) : event.chat;

/** The chat that a lane belongs to. */
export const chatOfLane = (lane: string): ChatId => (lane.split(MARK)[0] ?? lane) as ChatId;

/** The lanes of a chat's late files are between these. */
export const lateLanesOf = (chat: string) => ({ from: `${chat}${MARK}`, to: `${chat}\v` });
