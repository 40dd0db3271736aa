import { Refusal } from "../refusal.ts";
import type { Chat, Dialog, Speaker } from "../world.ts";
import { emitChat, join, leave, memberOf, openDialogOf, shownChat, systemMessage } from "./chats.ts";
import type { Gateway } from "./gateway.ts";
import { socketDialog } from "./wire-chats.ts";

/** Closes the previous dialog and opens a new one. */
export function openDialog(gateway: Gateway, chat: Chat, by: Speaker): Dialog {
  const before = openDialogOf(chat);
  if (before) closeDialog(gateway, chat, before, by);
  const dialog: Dialog = {
    id: gateway.world.nextId(),
    chatId: chat.id,
    createdAt: gateway.clock.now(),
    updatedAt: null,
    closedAt: null,
    assignedAt: null,
    responsible: null,
    tags: [],
    beginMessageId: null,
    endingMessageId: null,
    utm: gateway.world.customers.get(chat.customerId)?.utm ?? null,
  };
  chat.dialogs.push(dialog);
  systemMessage(gateway, chat, "dialog_opened", by);
  gateway.events.emit("dialog_opened", () => ({ dialog: socketDialog(dialog, shownChat(gateway, chat)) }));
  return dialog;
}

export const dialogFor = (gateway: Gateway, chat: Chat, by: Speaker): Dialog =>
  openDialogOf(chat) ?? openDialog(gateway, chat, by);

function mustBeOpen(chat: Chat, dialog: Dialog): void {
  if (chat.dialogs.at(-1) !== dialog)
    throw new Refusal(400, "dialog is not the latest in the chat", "only the latest dialog changes");
  if (dialog.closedAt !== null) throw new Refusal(400, "dialog is closed", "only an open dialog changes");
}

export interface Assignment {
  reassigned: boolean;
  previous: Dialog | null;
  left: number | null;
}

/** Assigns the dialog to an agent or bot; the previous agent leaves the chat. */
export function assign(gateway: Gateway, chat: Chat, dialog: Dialog, to: Speaker, by: Speaker): Assignment {
  mustBeOpen(chat, dialog);
  const { responsible } = dialog;
  if (responsible?.id === to.id)
    throw new Refusal(400, "dialog is already assigned", "an assignment changes something");
  const previous = responsible && { ...dialog };
  const left =
    responsible?.type === "user" && memberOf(chat, responsible)?.state === "active" ? responsible : undefined;
  join(gateway, chat, to);
  if (left) leave(gateway, chat, left, "leaved");
  const at = gateway.clock.now();
  Object.assign(dialog, { responsible: to, assignedAt: at, updatedAt: at });
  systemMessage(gateway, chat, "dialog_assign", by, to);
  gateway.events.emit("dialog_assign", () => ({
    chat: shownChat(gateway, chat),
    dialog: socketDialog(dialog, undefined),
  }));
  return { reassigned: previous !== null, previous, left: left?.id ?? null };
}

/** Unassigns the dialog; returns it as it was. */
export function unassign(gateway: Gateway, chat: Chat, dialog: Dialog, by: Speaker): Dialog {
  mustBeOpen(chat, dialog);
  if (!dialog.responsible) throw new Refusal(400, "dialog is not assigned", "an assigned dialog is unassigned");
  const before = { ...dialog };
  Object.assign(dialog, { responsible: null, assignedAt: null, updatedAt: gateway.clock.now() });
  systemMessage(gateway, chat, "dialog_unassign", by, before.responsible ?? undefined);
  return before;
}

export function closeDialog(gateway: Gateway, chat: Chat, dialog: Dialog, by: Speaker): void {
  mustBeOpen(chat, dialog);
  const last = systemMessage(gateway, chat, "dialog_closed", by);
  const at = gateway.clock.now();
  Object.assign(dialog, { closedAt: at, updatedAt: at, endingMessageId: last.id });
  emitChat(gateway, chat);
  gateway.events.emit("dialog_closed", () => ({ dialog: socketDialog(dialog, shownChat(gateway, chat)) }));
}

type Tag = Dialog["tags"][number];

export function addTags(gateway: Gateway, chat: Chat, dialog: Dialog, tags: Tag[], by: Speaker): void {
  const fresh = tags.filter(({ name }) => !dialog.tags.some((tag) => tag.name === name));
  changeTags(gateway, chat, dialog, [...dialog.tags, ...fresh], "dialog_tag_added", by);
}

export function deleteTags(gateway: Gateway, chat: Chat, dialog: Dialog, names: string[], by: Speaker): void {
  const kept = dialog.tags.filter(({ name }) => !names.includes(name));
  changeTags(gateway, chat, dialog, kept, "dialog_tag_removed", by);
}

function changeTags(gateway: Gateway, chat: Chat, dialog: Dialog, tags: Tag[], action: string, by: Speaker): void {
  if (tags.length === dialog.tags.length) return;
  Object.assign(dialog, { tags, updatedAt: gateway.clock.now() });
  systemMessage(gateway, chat, action, by);
}
