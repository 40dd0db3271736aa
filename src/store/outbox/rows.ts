import type { Channel } from "../../domain/channel/channel.ts";
import { INBOUND_PATIENCE_MS, type Job, LATE_FILE_MS } from "../../domain/delivery/delivery.ts";
import { newWork } from "../../domain/delivery/work.ts";
import type { ChatId } from "../../domain/ids.ts";
import type { ChannelEvent, RelayedEvent } from "../../domain/message/message.ts";
import type { Acceptance, Source } from "../outbox.ts";
import { contentOf } from "../tables/messages/contents.ts";
import { laneOf } from "../tables/messages/late-lanes.ts";
import type { MessageRow } from "../tables/schema.ts";
import { addToAlbum } from "./album.ts";
import { messageJob } from "./jobs.ts";

// The row of a message that is new.

/** A chat older than this is known, ms; floods come from new chats. */
const KNOWN_MS = 3_600_000;
/** How long an album waits for its next part, ms: parts arrive within a second, each in its own call. */
const ALBUM_MS = 1_200;

export type NewRow = Pick<
  MessageRow,
  "accountId" | "channelId" | "direction" | "kind" | "chat" | "events" | "deadlineAt"
> &
  Partial<MessageRow> & { content?: Content };
/** Of a row that may leave at once: what its columns say. */
export type Content = Pick<Job, "task" | "work">;
export const DEFAULTS = {
  ...{ dedupeKey: null, gatewayMessageId: null, messengerMessageId: null, firstId: null, carrier: null, album: null },
  state: "ready" as MessageRow["state"],
  ...{ known: 0, payload: null, work: null },
};

export type ChannelRef = Pick<Channel, "id" | "accountId">;
export type InboundMessage = Extract<ChannelEvent, { type: "message" }>;

export const directionOf = (source: Source) => (source === "messenger" ? ("inbound" as const) : ("outbound" as const));

/** `since`: when its chat had its first message, ms. `events` is 0 for our own notes, which have no key. */
export function eventRow(channel: ChannelRef, event: RelayedEvent, since: number, now: number, events: 0 | 1): NewRow {
  const row: NewRow = Object.assign(columnsOf(channel, event, events), {
    payload: JSON.stringify(event),
    content: { task: { direction: "inbound" as const, event } },
    known: since <= now - KNOWN_MS ? 1 : 0,
    deadlineAt: now + (event.type === "message" && event.late ? LATE_FILE_MS : INBOUND_PATIENCE_MS),
  });
  if (event.type === "message" && event.album)
    Object.assign(row, { album: albumOf(event, event.album), runAt: now + ALBUM_MS });
  return row;
}

const columnsOf = (channel: ChannelRef, event: RelayedEvent, events: 0 | 1) => ({
  accountId: channel.accountId,
  channelId: channel.id,
  direction: "inbound" as const,
  kind: event.type,
  chat: laneOf(event),
  events,
  dedupeKey: events === 0 ? null : event.key,
  messengerMessageId: event.type === "message" ? event.messengerMessageId : null,
});

/** Names an album within its channel. */
export const albumOf = ({ chat }: InboundMessage, album: string): string => `${chat}/${album}`;

type Carrier = Pick<MessageRow, "id" | "direction" | "payload" | "work" | "messengerMessageId">;

/** The row of an album's next part, and what it changes of the album's; undefined when the album takes it no more. */
export function partRow(
  channel: ChannelRef,
  event: InboundMessage,
  carrier: Carrier,
  now: number,
): { part: NewRow; change: Pick<MessageRow, "payload" | "runAt" | "updatedAt" | "firstId"> } | undefined {
  const task = contentOf(carrier)?.task;
  if (task?.direction !== "inbound" || task.event.type !== "message") return undefined;
  const whole = addToAlbum(task.event, event);
  if (!whole) return undefined;
  const { messengerMessageId: first } = whole;
  return {
    part: { ...columnsOf(channel, event, 1), state: "carried", carrier: carrier.id, deadlineAt: 0 },
    change: {
      ...{ payload: JSON.stringify(whole), runAt: now + ALBUM_MS, updatedAt: now },
      firstId: first === carrier.messengerMessageId ? null : first,
    },
  };
}

/** `chat`: the messenger's id. */
export function actRow(channel: ChannelRef, acceptance: Acceptance, chat: ChatId, now: number): NewRow {
  const { key, act, plan, patienceMs } = acceptance;
  const toChat = chat === act.chat ? act : { ...act, chat };
  const work = plan && newWork(plan);
  return {
    accountId: channel.accountId,
    channelId: channel.id,
    direction: "outbound",
    kind: act.type,
    chat,
    dedupeKey: key,
    events: 1,
    payload: JSON.stringify(toChat),
    content: { task: { direction: "outbound", act: toChat }, work },
    deadlineAt: now + patienceMs,
    gatewayMessageId: act.type === "message" ? act.gatewayMessageId : null,
    // One step is planned again when it runs; several must survive a crash between them.
    work: work && work.plan.steps.length > 1 ? JSON.stringify(work) : null,
  };
}

type Leaving = Pick<MessageRow, "accountId" | "channelId" | "direction" | "chat" | "deadlineAt">;

/** The job of a message that leaves with the commit that stores it. */
export function firstJob(row: Leaving, id: number, fence: number, content: Content, now: number): Job {
  const { accountId, channelId, direction, chat, deadlineAt } = row;
  const stored = {
    id,
    accountId,
    channelId,
    direction,
    chat,
    deadlineAt,
    fence,
    attempts: 1,
    updatedAt: now,
    unsure: 0,
    crashes: 0,
    fatalCrashes: 0,
    begun: 0,
    doubtAt: null,
    ackVersion: 0,
    generation: 0,
  };
  return messageJob(stored, content);
}
