import { button, el } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "./api.ts";
import { openBox, openPopover } from "./box.ts";
import type { Act } from "./message.ts";
import { type Channel, type Message, may, wordsOf } from "./model.ts";

/** Offered when the channel lists no reactions. */
const REACTIONS = ["👍", "❤️", "😂", "😮", "😢", "🙏"];

/** What the gateway and the channel allow an agent. */
export function actsOn(message: Message, channel: Channel | undefined): Act[] {
  if (message.deleted || message.type === "system") return [];
  const ofAgent = message.from?.type === "user";
  const there = message.scope === "public" && message.status !== "sending" && message.status !== "failed";
  return [
    ...(there && may(channel, message.type, "reaction") ? (["react"] as const) : []),
    ...(message.actions.includes("quote") ? (["quote"] as const) : []),
    ...(ofAgent && message.actions.includes("edit") && canEdit(message) ? (["edit"] as const) : []),
    ...(ofAgent && message.actions.includes("delete") ? (["delete"] as const) : []),
  ];
}

/** Cards have no text to edit. */
const canEdit = ({ type }: Message) => type !== "product" && type !== "order";

export interface ActsParts {
  api: Api;
  me: number;
  channelOf(message: Message): Channel | undefined;
  quote(message: Message): void;
  problem(error: unknown): void;
}
export interface Acts {
  act(act: Act, message: Message, from: HTMLElement): void;
  /** Adds a reaction, or removes the same one. */
  react(message: Message, content: string): void;
}

export function createActs({ api, me, channelOf, quote, problem }: ActsParts): Acts {
  const tryTo = (work: Promise<unknown>) => void work.then(() => problem(undefined), problem);
  const react = (message: Message, content: string) => {
    const mine = message.reactions?.some((each) => each.userId === me && each.content === content);
    const path = `/messages/${message.id}/reaction`;
    tryTo(
      mine
        ? api.agent("DELETE", `${path}?reaction=${encodeURIComponent(content)}`)
        : api.agent("PUT", path, { reaction: content }),
    );
  };
  const change = async (message: Message, words: string) => {
    const body = message.type === "text" ? { content: words } : { note: words };
    await api.bot("PATCH", `/messages/${message.id}`, body);
  };
  return {
    react,
    act(act, message, from) {
      if (act === "quote") quote(message);
      if (act === "delete") tryTo(api.bot("DELETE", `/messages/${message.id}`));
      if (act === "edit") editWords(wordsOf(message), (words) => change(message, words));
      if (act === "react") chooseReaction(from, channelOf(message), (content) => react(message, content));
    },
  };
}

function editWords(before: string, change: (words: string) => Promise<void>): void {
  const field = el("textarea", { id: "edit-field", rows: 6 });
  field.value = before;
  const label = el("label", { for: "edit-field" }, "New text");
  const save = el("button", { class: "primary" }, "Save");
  const form = el("form", { class: "stack" }, label, field, save);
  const box = openBox("Edit message", form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value === before) return box.close();
    change(field.value).then(box.close, (error: unknown) => box.problem(String((error as Error).message)));
  });
  field.focus();
}

function chooseReaction(from: HTMLElement, channel: Channel | undefined, choose: (content: string) => void): void {
  const { dictionary } = channel?.settings.reactions ?? {};
  const offered = dictionary && dictionary.length > 0 ? dictionary : REACTIONS;
  const buttons = offered.map((content) =>
    button(
      { class: "emoji", "aria-label": `React with ${content}` },
      () => {
        popover.close();
        choose(content);
      },
      content,
    ),
  );
  const popover = openPopover(from, "Reactions", ...buttons);
}
