import { toMicroseconds, toSeconds } from "gangway-messenger/kit/emulator/clock";
import type { Chat, Dialog, Message, World } from "../world.ts";
import { channelOf } from "./gateway.ts";
import {
  botChannel,
  botMessage,
  isSame,
  nullable,
  optional,
  present,
  type Shown,
  socketMessage,
  speakerRef,
} from "./wire.ts";

// Chats and dialogs as the gateway's APIs show them.

/** Time of the first unanswered customer message. */
export function waitingSince(world: World, chat: Chat): number | undefined {
  let since: number | undefined;
  for (const message of world.messagesOf(chat.id).toReversed()) {
    if (message.action === "dialog_closed") break;
    if (message.type === "system" || message.scope === "private" || message.deleted || message.past) continue;
    if (message.from.type !== "customer") break;
    since = message.createdAt;
  }
  return since;
}

export interface Waiting {
  warningMs: number;
  dangerMs: number;
  now: number;
}

function waitingFields(shown: Shown, chat: Chat, waiting: Waiting) {
  const since = waitingSince(shown.world, chat);
  if (since === undefined) return { waiting_level: "none" };
  const levels = [
    ["danger", since + waiting.dangerMs],
    ["warning", since + waiting.warningMs],
  ] as const;
  const reached = levels.find(([, at]) => waiting.now >= at);
  const next = levels.toReversed().find(([, at]) => waiting.now < at);
  return {
    waiting_level: reached?.[0] ?? "none",
    waiting_level_transition_time: toSeconds(next?.[1] ?? reached?.[1] ?? since),
  };
}

/** A customer's message that no agent has seen. */
export const isUnread = ({ from, type, status, deleted }: Message): boolean =>
  from.type === "customer" && type !== "system" && status !== "seen" && !deleted;

/** The last message; imported and system ones only when there is no other. */
function lastOf(messages: Message[]): Message | undefined {
  const shown = messages.filter(({ deleted }) => !deleted);
  const written = shown.findLast(({ type, past }) => type !== "system" && !past);
  return written ?? shown.filter(({ past }) => past).sort((a, b) => b.time - a.time)[0] ?? shown.at(-1);
}

function chatFields(shown: Shown, chat: Chat, waiting: Waiting) {
  const own = shown.world.messagesOf(chat.id);
  const unread = own.filter(isUnread).length;
  const lastByAgent = own.findLast((m) => m.from.type === "user" && m.type !== "system");
  return {
    id: chat.id,
    author_id: chat.author.id,
    name: shown.world.customers.get(chat.customerId)?.nickname ?? "",
    avatar: shown.world.customers.get(chat.customerId)?.avatar ?? "",
    channel: botChannel(channelOf(shown.world, chat), shown),
    customer: speakerRef(shown, { type: "customer", id: chat.customerId }),
    last_activity: toSeconds(chat.lastActivity),
    last_user_message: lastByAgent && { id: lastByAgent.id },
    reply_deadline: optional(chat.replyDeadline),
    unread: unread > 0,
    unreadCount: unread,
    last: lastOf(own),
    dialog: chat.dialogs.at(-1),
    ...waitingFields(shown, chat, waiting),
  };
}

const lastDialog = (shown: Shown, dialog: Dialog) => ({
  id: dialog.id,
  created_at: toSeconds(dialog.createdAt),
  closed_at: optional(dialog.closedAt) ?? null,
  assigned_at: optional(dialog.assignedAt) ?? null,
  responsible: dialog.responsible && speakerRef(shown, dialog.responsible),
  utm: dialog.utm,
});

export function listedChat(shown: Shown, chat: Chat, waiting: Waiting) {
  const { unreadCount, last, dialog, ...fields } = chatFields(shown, chat, waiting);
  return {
    ...present(fields),
    not_read_messages: unreadCount,
    created_at: toMicroseconds(chat.createdAt),
    updated_at: nullable(chat.updatedAt),
    ...(last && { last_message: botMessage(shown, last) }),
    ...(dialog && { last_dialog: lastDialog(shown, dialog) }),
  };
}

export function socketChat(shown: Shown, chat: Chat, waiting: Waiting) {
  const { unreadCount, last, dialog, ...fields } = chatFields(shown, chat, waiting);
  return {
    ...present(fields),
    not_read_messages_count: unreadCount,
    created_at: toSeconds(chat.createdAt),
    members: chat.members.map(({ speaker, state }) => ({
      is_author: isSame(speaker, chat.author),
      // A deactivated agent's membership has no state.
      state: shown.world.users.get(speaker.id)?.active === false ? "undefined" : state,
      user: speakerRef(shown, speaker),
    })),
    ...(last && { last_message: socketMessage(shown, last) }),
    ...(dialog && { last_dialog: present(lastDialog(shown, dialog)) }),
  };
}

export const responsibleOf = ({ world }: Shown, { responsible, assignedAt }: Dialog) =>
  responsible && {
    id: responsible.id,
    type: responsible.type,
    external_id: world.users.get(responsible.id)?.externalId ?? String(responsible.id),
    assigned_at: nullable(assignedAt),
  };

export const socketDialog = (dialog: Dialog, chat: unknown) =>
  present({
    id: dialog.id,
    created_at: toSeconds(dialog.createdAt),
    closed_at: optional(dialog.closedAt),
    assigned_at: optional(dialog.assignedAt),
    begin_message_id: dialog.beginMessageId,
    ending_message_id: dialog.endingMessageId,
    responsible:
      dialog.responsible &&
      present({ id: dialog.responsible.id, type: dialog.responsible.type, assigned_at: optional(dialog.assignedAt) }),
    utm: dialog.utm,
    chat,
  });
