import { at, button, type Child, el, icon } from "gangway-messenger/kit/emulator/browser/dom";
import type { Chats } from "./chats.ts";
import type { DialogActs } from "./dialog-acts.ts";
import { fill } from "./fill.ts";
import { icons } from "./icons.ts";
import { type Chat, openDialog } from "./model.ts";
import { channelName, initialsOf, toneOf, WAITING } from "./names.ts";

export interface HeadParts {
  chats: Chats;
  acts: DialogActs;
  me: number;
  problem(error: unknown): void;
}

/** Conversation header: the customer and the most common actions. */
export function createHead({ chats, acts, me, problem }: HeadParts): { show(chatId: number | undefined): void } {
  let chatId: number | undefined;
  const run = (work: (chat: Chat) => Promise<unknown>) => {
    const now = chats.get(chatId);
    if (now) work(now).then(() => problem(undefined), problem);
  };
  const draw = () => {
    const now = chats.get(chatId);
    at("name").textContent = now?.name ?? "Choose a chat";
    const channel = chats.channelOf(now);
    fill(at("face"), now?.name, () => (now ? [face(now)] : []));
    fill(at("about"), [now && aboutOf(now, me), channel], () => [
      channel && el("span", {}, [channelName(channel), channel.name].filter(Boolean).join(" · ")),
      ...(now
        ? aboutOf(now, me).map(({ words, kind }) => el("span", { class: "mark", "data-mark": kind }, words))
        : []),
    ]);
    const dialog = now && openDialog(now);
    fill(at("acts"), [now?.id, dialog], () => {
      if (!now || !dialog) return [];
      const mine = dialog.responsible?.id === me;
      return [
        !mine &&
          button({ "data-action": "take" }, () => run((c) => acts.assign(c, { id: me, type: "user" })), "Assign to me"),
        button({ "data-action": "close" }, () => run(acts.close), icon(icons.check), "Close dialog"),
      ];
    });
  };
  chats.onChange((changed) => {
    if (chatId !== undefined && (changed.has(chatId) || changed.has(0))) draw();
  });
  return {
    show(id) {
      chatId = id;
      draw();
    },
  };
}

const face = ({ id, name, customer }: Chat): Child =>
  el("span", { class: "avatar", "data-tone": toneOf(customer?.id ?? id), "aria-hidden": "true" }, initialsOf(name));

function aboutOf(chat: Chat, me: number): { words: string; kind: string }[] {
  const dialog = openDialog(chat);
  const { responsible } = dialog ?? {};
  const whose = responsible ? (responsible.id === me ? "Yours" : responsible.name) : "Nobody’s";
  return [
    ...(chat.customer?.blocked ? [{ words: "Blocked", kind: "blocked" }] : []),
    ...(chat.waiting === "none" ? [] : [{ words: WAITING[chat.waiting], kind: chat.waiting }]),
    { words: dialog ? whose : "Dialog closed", kind: "whose" },
  ];
}
