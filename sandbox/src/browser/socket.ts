import type { WireActor, WireChannel, WireChat, WireDialogEvent, WireMessage } from "./wire.ts";

export interface EventData {
  message_new: { message: WireMessage };
  message_updated: { message: WireMessage };
  message_deleted: { message: WireMessage };
  message_restored: { message: WireMessage };
  chat_created: { chat: WireChat };
  chat_updated: { chat: WireChat };
  chats_deleted: { chat_ids: number[] };
  dialog_closed: { dialog: WireDialogEvent };
  dialog_opened: { dialog: WireDialogEvent };
  dialog_assign: { chat: WireChat };
  user_online_updated: { user: WireActor; online: boolean };
  user_joined_chat: { chat: WireChat };
  user_left_chat: { chat?: { id: number }; user?: { id: number } };
  user_updated: WireActor & { is_active?: boolean };
  customer_updated: WireActor;
  bot_updated: WireActor;
  channel_updated: { channel?: WireChannel };
}
export type EventType = keyof EventData;
export type SocketEvent = { [T in EventType]: { type: T; data: EventData[T]; meta: { timestamp: number } } }[EventType];

/** `waiting`: disconnected until the next retry. */
export type ConnectionState = "connecting" | "open" | "waiting";

export interface ConnectionParts {
  token: string;
  events: readonly EventType[];
  onEvent(event: SocketEvent): void;
  /** Called on each connect; events may have been missed before. */
  opened(): void;
  changed(state: ConnectionState): void;
}
export interface Connection {
  retryNow(): void;
  /** Reconnects, whatever state the socket claims. */
  reconnect(): void;
}

const OPENING_MS = 10_000;
const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 20_000;
/** A connection that lasted this long resets the backoff, ms. */
const STABLE_MS = 5_000;

/** A self-reconnecting socket: exponential backoff with jitter. */
export function connect({ token, events, onEvent, opened, changed }: ConnectionParts): Connection {
  let socket: WebSocket | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let losses = 0;

  const lost = (since: number | undefined) => {
    socket = undefined;
    losses = since !== undefined && Date.now() - since > STABLE_MS ? 1 : losses + 1;
    const max = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (losses - 1));
    changed("waiting");
    timer = setTimeout(open, max / 2 + Math.random() * (max / 2));
  };
  const open = () => {
    clearTimeout(timer);
    changed(losses > 0 ? "waiting" : "connecting");
    const address = new URL(`/api/bot/v1/ws?events=${events.join(",")}`, location.href);
    address.protocol = address.protocol.replace("http", "ws");
    // Browsers cannot set headers on a WebSocket.
    const made = new WebSocket(address, ["x-bot-token", token]);
    socket = made;
    let since: number | undefined;
    const giveUp = setTimeout(() => end(), OPENING_MS);
    const end = () => {
      clearTimeout(giveUp);
      if (socket !== made) return;
      lost(since);
      made.close();
    };
    made.addEventListener("open", () => {
      clearTimeout(giveUp);
      since = Date.now();
      if (socket !== made) return;
      changed("open");
      opened();
    });
    made.addEventListener("message", (message) => {
      const event = socket === made ? parse(message.data) : undefined;
      if (event) onEvent(event);
    });
    made.addEventListener("close", end);
    made.addEventListener("error", end);
  };
  const renew = () => {
    const before = socket;
    socket = undefined;
    before?.close();
    open();
  };
  open();
  return {
    retryNow() {
      if (!socket) open();
    },
    reconnect: renew,
  };
}

function parse(text: unknown): SocketEvent | undefined {
  try {
    return JSON.parse(String(text)) as SocketEvent;
  } catch {
    return undefined;
  }
}
