import { at } from "gangway-messenger/kit/emulator/browser/dom";
import type { Agent } from "./agent.ts";
import { agentsHere, showAgents } from "./agent.ts";
import { type Api, ApiError } from "./api.ts";
import type { Chats } from "./chats.ts";
import { previewOf } from "./names.ts";
import type { Notice } from "./notice.ts";
import type { People } from "./people.ts";
import { type ConnectionState, connect, type EventData, type EventType, type SocketEvent } from "./socket.ts";
import { createSync } from "./sync.ts";
import type { Thread } from "./thread.ts";
import { messageFrom, personFrom, type WireDialogEvent, type WireMessage } from "./wire.ts";

export interface EventParts {
  agent: Agent;
  notice: Notice;
  api: Api;
  chats: Chats;
  people: People;
  thread: Thread;
  /** Tags or members of the open chat's dialog may have changed. */
  dialogChanged(): void;
  gone(): void;
}

/** The initial load waits this long for the socket, to avoid listing twice, ms. */
const SOON_MS = 1_500;
/** After this time in the background the connection may be silently dead, ms. */
const LONG_AWAY_MS = 60_000;

/** Keeps the model current: by socket events, and by lists after possible gaps. */
export function listenToEvents(parts: EventParts): void {
  const { agent, notice, api, chats, people, thread } = parts;
  // The connection indicator already shows an unreachable gateway.
  const problem = (error: unknown) => {
    if (!(error instanceof ApiError && error.status === 0)) notice.problem(error);
  };
  const sync = createSync(api, chats, problem);
  let synced = false;
  const resync = () => {
    synced = true;
    sync();
    people.load().catch(problem);
    thread.resync().catch(problem);
    parts.dialogChanged();
  };
  const connection = connect({
    token: agent.token,
    events: EVENTS,
    onEvent: (event) => dispatch(event, parts),
    opened: resync,
    changed: showState,
  });
  setTimeout(() => !synced && resync(), SOON_MS);
  addEventListener("online", () => connection.reconnect());
  let hiddenAt = 0;
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") hiddenAt = Date.now();
    else if (hiddenAt > 0 && Date.now() - hiddenAt > LONG_AWAY_MS) connection.reconnect();
    else connection.retryNow();
  });
}

const STATES: Record<ConnectionState, string> = {
  connecting: "Connecting …",
  open: "Connected",
  waiting: "Reconnecting …",
};

function showState(state: ConnectionState): void {
  const sign = at("connection");
  sign.dataset.state = state;
  if (sign.textContent !== STATES[state]) sign.textContent = STATES[state];
}

type Handlers = { [T in EventType]: (data: EventData[T], parts: EventParts, arrived: number) => void };

const HANDLERS: Handlers = {
  message_new: ({ message }, parts, arrived) => onMessage("new", message, arrived, parts),
  message_updated: ({ message }, parts, arrived) => onMessage("updated", message, arrived, parts),
  message_restored: ({ message }, parts, arrived) => onMessage("updated", message, arrived, parts),
  message_deleted: ({ message }, parts, arrived) => onMessage("deleted", message, arrived, parts),
  chat_created: ({ chat }, { chats }) => chats.put(chat),
  chat_updated: ({ chat }, { chats }) => chats.put(chat),
  chats_deleted({ chat_ids: ids }, { chats, thread, gone }) {
    chats.remove(ids);
    thread.forget(ids);
    if (ids.includes(thread.chatId() ?? 0)) gone();
  },
  dialog_opened: onDialog,
  dialog_closed: onDialog,
  dialog_assign: (data, parts) => onDialog({ dialog: data }, parts),
  user_joined_chat: ({ chat }, { chats }) => chats.put(chat),
  // `chat_updated` brings the remaining members.
  user_left_chat: () => {},
  user_online_updated: ({ user }, { people }) => people.put(user),
  user_updated(user, { people, agent, notice }) {
    people.put(user, user.is_active);
    agentsHere().then((agents) => showAgents(agents, agent), notice.problem);
  },
  // The event lacks roles, which decide whether a bot can be assigned.
  bot_updated: (_, { people, notice }) => void people.load().catch(notice.problem),
  customer_updated: (customer, { chats }) => chats.putCustomer(personFrom(customer)),
  channel_updated({ channel }, { chats }) {
    if (channel) chats.putChannel(channel);
  },
};
const EVENTS = Object.keys(HANDLERS) as EventType[];

function dispatch(event: SocketEvent, parts: EventParts): void {
  // TypeScript cannot correlate the event's type with its data.
  const handle = HANDLERS[event.type] as ((data: unknown, parts: EventParts, arrived: number) => void) | undefined;
  handle?.(event.data, parts, event.meta.timestamp * 1000);
}

function onDialog({ dialog }: { dialog: WireDialogEvent }, { chats, dialogChanged }: EventParts): void {
  if (dialog.chat) chats.put(dialog.chat);
  dialogChanged();
}

function onMessage(
  change: "new" | "updated" | "deleted",
  message: WireMessage,
  arrived: number,
  { chats, thread, notice, dialogChanged }: EventParts,
): void {
  thread.apply(message, arrived, change);
  if (message.chat) chats.put(message.chat);
  const open = message.chat_id === thread.chatId();
  if (open && message.action?.startsWith("dialog_tag")) dialogChanged();
  if (open || change !== "new" || message.from?.type !== "customer" || message.type === "system") return;
  notice.announce(`New message from ${personFrom(message.from).name}: ${previewOf(messageFrom(message))}`);
}
