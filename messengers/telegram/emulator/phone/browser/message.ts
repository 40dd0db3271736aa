import { button, el, webAddress } from "gangway-messenger/kit/emulator/browser/dom";
import type { PhoneFile, PhoneMessage } from "../../phone-wire.ts";
import { formatted } from "./formatted.ts";

export interface MessageActs {
  /** `words`: the selected part of the message. */
  reply(message: PhoneMessage, words: string): void;
  edit(message: PhoneMessage): void;
  erase(message: PhoneMessage): void;
  forward(message: PhoneMessage): void;
  react(message: PhoneMessage, emoji: string | null): void;
  press(message: PhoneMessage, pressed: string): void;
}

const EMOJI = ["👍", "❤", "🔥", "😁"];

export function messageView(message: PhoneMessage, before: PhoneMessage | undefined, acts: MessageActs): HTMLElement {
  const { id, from, album, author, forwardedFrom, quote, text, marks, card, above } = message;
  const words = text !== "" && el("p", { class: "text" }, ...formatted(text, marks));
  const joined = album !== undefined && before?.album === album;
  return el(
    "article",
    { class: joined ? "message joined" : "message", "data-message": id, "data-from": from },
    author && from === "other" && el("div", { class: "head" }, author),
    forwardedFrom && el("div", { class: "head" }, `Forwarded from ${forwardedFrom}`),
    quote && quoteView(quote),
    above && words,
    mediaView(message),
    card && el("p", {}, card),
    !above && words,
    inlineView(message, acts),
    from !== "service" && footView(message, acts),
  );
}

function quoteView(quote: { id?: number; text: string }): HTMLElement {
  const view = el("div", { class: "quote", "data-quote": quote.id }, quote.text || "…");
  view.addEventListener("click", () =>
    document.querySelector(`[data-message="${quote.id}"]`)?.scrollIntoView({ block: "center" }),
  );
  return view;
}

const size = (bytes: number) =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;

function mediaView({ media }: PhoneMessage): HTMLElement | undefined {
  if (!media) return undefined;
  const { kind, file, emoji } = media;
  const src = `/telegram${file.url}`;
  switch (kind) {
    case "photo":
      return el("img", { src, alt: "Photo" });
    case "sticker":
      if (file.mediaType.startsWith("image/"))
        return el("img", { src, alt: `Sticker ${emoji ?? ""}`, class: "sticker" });
      return el("p", {}, `${emoji ?? ""} sticker`);
    case "video":
    case "animation":
    case "video_note":
      return el("video", { src, controls: true, class: kind === "video_note" && "round", "aria-label": kind });
    case "voice":
    case "audio":
      return el("div", {}, el("audio", { src, controls: true, "aria-label": kind }), soundLine(file));
    case "document":
      return el("p", {}, "📄 ", el("a", { href: src, download: file.name }, file.name), ` ${size(file.size)}`);
  }
}

const soundLine = ({ duration, name }: PhoneFile) =>
  el(
    "small",
    {},
    duration === undefined ? name : `${Math.floor(duration / 60)}:${String(duration % 60).padStart(2, "0")}`,
  );

function inlineView(message: PhoneMessage, acts: MessageActs): HTMLElement | undefined {
  if (message.inline.length === 0) return undefined;
  const keys = message.inline.flat().map(({ text, url, data: pressed }) => {
    const href = webAddress(url);
    if (href) return el("a", { href, target: "_blank", rel: "noopener noreferrer" }, text);
    return button({}, () => acts.press(message, pressed ?? ""), text);
  });
  return el("div", { class: "inline", role: "group", "aria-label": "Buttons" }, ...keys);
}

function footView(message: PhoneMessage, acts: MessageActs): HTMLElement {
  const time = new Date(message.at).toTimeString().slice(0, 5);
  const reactions = message.reactions.map(({ emoji, mine }) =>
    button(
      { "aria-label": `${mine ? "My reaction" : "Reaction"} ${emoji}` },
      () => mine && acts.react(message, null),
      emoji,
    ),
  );
  return el(
    "div",
    { class: "foot" },
    el("span", { class: "reactions" }, ...reactions),
    el("span", { class: "acts" }, ...actButtons(message, acts)),
    message.edited && el("span", { class: "edited" }, "edited"),
    el("time", {}, time),
  );
}

function actButtons(message: PhoneMessage, acts: MessageActs): HTMLElement[] {
  const act = (label: string, sign: string, run: () => void) =>
    button({ "aria-label": label, title: label }, run, sign);
  const own = message.from === "me";
  return [
    ...(own ? [] : EMOJI.map((emoji) => act(`React ${emoji}`, emoji, () => acts.react(message, emoji)))),
    act("Reply", "↩", () => acts.reply(message, highlighted(message))),
    act("Forward", "↪", () => acts.forward(message)),
    ...(own ? [act("Edit", "✎", () => acts.edit(message)), act("Delete", "✕", () => acts.erase(message))] : []),
  ];
}

/** The part of the message that is selected. */
function highlighted({ id, text }: PhoneMessage): string {
  const selection = getSelection();
  const words = selection?.toString().trim() ?? "";
  const element = document.querySelector(`[data-message="${id}"] .text`);
  const isThere = element !== null && selection !== null && element.contains(selection.anchorNode);
  return isThere && words !== text && text.includes(words) ? words : "";
}
