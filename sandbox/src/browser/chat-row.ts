import { el, icon, present } from "gangway-messenger/kit/emulator/browser/dom";
import { icons } from "./icons.ts";
import { type Channel, type Chat, openDialog } from "./model.ts";
import { channelName, fullTime, initialsOf, previewOf, shortTime, toneOf, WAITING } from "./names.ts";

/** Row height, px; same as in the CSS. */
export const ROW_HEIGHT = 78;

export interface RowState {
  chat: Chat;
  channel: Channel | undefined;
  me: number;
  /** Unless the chat is open. */
  draft: string | undefined;
  open: boolean;
}
export interface ChatRow {
  element: HTMLElement;
  update(state: RowState): void;
  moveTo(index: number, total: number): void;
}

export function createRow(id: number): ChatRow {
  const element = el("div", { class: "chat", role: "option", id: `chat-${id}`, "data-chat": id, tabindex: -1 });
  let drawn = "";
  return {
    element,
    update(state) {
      const key = keyOf(state);
      if (key === drawn) return;
      drawn = key;
      element.setAttribute("aria-selected", String(state.open));
      element.dataset.waiting = state.chat.waiting;
      element.toggleAttribute("data-unread", state.chat.unread > 0);
      element.replaceChildren(...parts(state));
    },
    moveTo(index, total) {
      element.style.transform = `translateY(${index * ROW_HEIGHT}px)`;
      element.setAttribute("aria-posinset", String(index + 1));
      element.setAttribute("aria-setsize", String(total));
    },
  };
}

function keyOf({ chat, channel, draft, open }: RowState): string {
  const { members: _, ...shown } = chat;
  return JSON.stringify([shown, channel?.type, channel?.name, channel?.active, draft, open]);
}

function parts({ chat, channel, draft, me }: RowState): HTMLElement[] {
  const at = new Date(chat.lastActivity).toISOString();
  const tone = toneOf(chat.customer?.id ?? chat.id);
  const unread = chat.unread > 99 ? "99+" : String(chat.unread);
  return [
    el("span", { class: "avatar", "data-tone": tone, "aria-hidden": "true" }, initialsOf(chat.name)),
    el(
      "span",
      { class: "chat-line" },
      el("span", { class: "chat-name" }, chat.name),
      el("time", { datetime: at, title: fullTime(chat.lastActivity) }, shortTime(chat.lastActivity)),
    ),
    el(
      "span",
      { class: "chat-line" },
      lastOf(chat, draft, me),
      chat.unread > 0 && el("span", { class: "unread", "aria-label": `${chat.unread} unread` }, unread),
    ),
    marksOf(chat, channel, me),
  ];
}

function lastOf({ lastMessage }: Chat, draft: string | undefined, me: number): HTMLElement {
  if (draft !== undefined) return el("span", { class: "chat-last" }, el("b", { class: "draft" }, "Draft: "), draft);
  if (!lastMessage) return el("span", { class: "chat-last" }, "No messages yet");
  const { from, type, scope } = lastMessage;
  const mine = from?.id === me ? "You: " : `${from?.name ?? ""}: `;
  const who = type === "system" || from?.type === "customer" ? "" : mine;
  const words = `${scope === "private" ? "Note · " : ""}${who}${previewOf(lastMessage)}`;
  return el("span", { class: "chat-last", dir: "auto" }, words);
}

function marksOf(chat: Chat, channel: Channel | undefined, me: number): HTMLElement {
  const dialog = openDialog(chat);
  const responsible = dialog?.responsible;
  const name =
    channel && [channelName(channel), channel.name].filter((word, n, all) => word && all.indexOf(word) === n);
  return el(
    "span",
    { class: "chat-marks" },
    ...present([
      name && el("span", { class: "channel" }, name.join(" · ")),
      chat.customer?.blocked && el("span", { class: "mark blocked" }, icon(icons.block), "Blocked"),
      chat.waiting !== "none" &&
        el("span", { class: "mark waiting", "data-waiting": chat.waiting }, icon(icons.clock), WAITING[chat.waiting]),
      responsible && el("span", { class: "mark" }, responsible.id === me ? "Yours" : responsible.name),
      !dialog && el("span", { class: "mark" }, "Closed"),
    ]),
  );
}
