import { type Child, el, icon, iconButton } from "gangway-messenger/kit/emulator/browser/dom";
import { contentOf } from "./content.ts";
import type { Files } from "./files.ts";
import { fill } from "./fill.ts";
import { icons } from "./icons.ts";
import type { Message, Status } from "./model.ts";
import { clockTime, faultWords, fullTime, initialsOf, systemWords, toneOf } from "./names.ts";

export type Act = "quote" | "react" | "edit" | "delete";
export interface MessageParts {
  me: number;
  files: Files;
  /** The channel's texts use the notation. */
  isFormatted(message: Message): boolean;
  /** In display order. */
  actsOn(message: Message): Act[];
  act(act: Act, message: Message, from: HTMLElement): void;
  react(message: Message, content: string): void;
}
export interface ShownMessage {
  element: HTMLElement;
  /** `follows`: the previous message is by the same author, shortly before. */
  update(message: Message, follows: boolean): void;
}

const ACTS: Record<Act, { path: string; label: string }> = {
  react: { path: icons.smile, label: "React" },
  quote: { path: icons.quote, label: "Quote" },
  edit: { path: icons.edit, label: "Edit" },
  delete: { path: icons.trash, label: "Delete" },
};
const TICKS: Record<Status, { path: string; label: string } | undefined> = {
  sending: { path: icons.clock, label: "Sending" },
  sent: { path: icons.check, label: "Sent" },
  received: { path: icons.checks, label: "Delivered" },
  seen: { path: icons.checks, label: "Read" },
  failed: { path: icons.fault, label: "Not delivered" },
  undefined: undefined,
};

export function createMessage(id: number, parts: MessageParts): ShownMessage {
  const element = el("article", { class: "message", id: `message-${id}`, "data-message": id, tabindex: -1 });
  const part = (name: string) => element.appendChild(el("div", { class: name }));
  const [avatar, bubble, tools, reactions] = [part("face"), part("bubble"), part("tools"), part("reactions")];
  const [author, content, meta] = ["author", "content", "meta"].map((name) =>
    bubble.appendChild(el("div", { class: name })),
  );
  return {
    element,
    update(message, follows) {
      const { from } = message;
      const side = message.type === "system" ? "system" : (from?.type ?? "channel");
      Object.assign(element.dataset, { from: side, status: message.status, scope: message.scope });
      element.toggleAttribute("data-follows", follows);
      element.toggleAttribute("data-deleted", message.deleted);
      if (side === "system") return fill(bubble, message.action, () => [systemWords(message), timeOf(message)]);
      fill(avatar, from?.name, () => [face(message)]);
      fill(author, [from?.name, message.scope], () => authorOf(message, parts.me));
      const { text, note, items, product, order, quote, suggestions, deleted } = message;
      const held = [text, note, items, product, order, quote, suggestions, deleted];
      fill(content, held, () =>
        deleted
          ? [el("em", {}, "This message was deleted")]
          : contentOf(message, parts.files, parts.isFormatted(message)),
      );
      fill(meta, [message.status, message.error, message.edited, message.time], () => metaOf(message));
      const acts = parts.actsOn(message);
      fill(tools, [acts, held], () => acts.map((act) => toolOf(act, message, parts)));
      fill(reactions, [message.reactions, acts], () => reactionsOf(message, acts.includes("react"), parts));
      updateTabStops(element);
    },
  };
}

/** Only the focused message's buttons are tab stops. */
export function updateTabStops(element: HTMLElement): void {
  const stop = element.tabIndex === 0 ? "0" : "-1";
  for (const inner of element.querySelectorAll("button, a, audio, video")) inner.setAttribute("tabindex", stop);
}

const face = ({ from }: Message): HTMLElement =>
  el(
    "span",
    { class: "avatar", "data-tone": toneOf(from?.id ?? 0), "aria-hidden": "true" },
    initialsOf(from?.name ?? "?"),
  );

const timeOf = ({ time }: Message): HTMLElement =>
  el("time", { datetime: new Date(time).toISOString(), title: fullTime(time) }, clockTime(time));

function authorOf({ from, scope }: Message, me: number): Child[] {
  return [
    el("span", { class: "author-name" }, from?.id === me ? "You" : (from?.name ?? "")),
    from?.type === "bot" && el("span", { class: "badge" }, "bot"),
    from?.type === "channel" && el("span", { class: "badge" }, "channel"),
    scope === "private" && el("span", { class: "badge private" }, icon(icons.lock), "Private note"),
  ];
}

function metaOf(message: Message): Child[] {
  const ours = message.from?.type === "user" || message.from?.type === "bot";
  const tick = ours && message.scope === "public" ? TICKS[message.status] : undefined;
  return [
    message.error && el("span", { class: "fault-words" }, faultWords(message.error)),
    message.template && el("span", {}, `template ${message.template}`),
    message.edited && el("span", {}, "edited"),
    timeOf(message),
    tick &&
      el(
        "span",
        { class: "tick", "data-tick": message.status, title: tick.label },
        icon(tick.path),
        el("span", { class: "sr" }, tick.label),
      ),
  ];
}

function toolOf(act: Act, message: Message, { act: run }: MessageParts): HTMLElement {
  const { path, label } = ACTS[act];
  const tool = iconButton(path, label, () => run(act, message, tool), { "data-action": act });
  return tool;
}

function reactionsOf(message: Message, able: boolean, { me, react }: MessageParts): Child[] {
  const counted = new Map<string, { count: number; mine: boolean }>();
  for (const { content, userId } of message.deleted ? [] : (message.reactions ?? [])) {
    const { count, mine } = counted.get(content) ?? { count: 0, mine: false };
    counted.set(content, { count: count + 1, mine: mine || userId === me });
  }
  return [...counted].map(([content, { count, mine }]) => {
    const words = `${content}${count > 1 ? ` ${count}` : ""}`;
    const label = `Reaction ${words}${mine ? ", yours: remove it" : ""}`;
    const chip = el("button", {
      type: "button",
      class: "reaction",
      "aria-pressed": String(mine),
      "aria-label": label,
      title: label,
      "data-action": `reaction ${content}`,
      disabled: !able,
    });
    chip.append(words);
    chip.addEventListener("click", () => react(message, content));
    return chip;
  });
}
