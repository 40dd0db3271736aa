import { cardOf } from "./cards.ts";
import { button, type Child, el, icon, linked } from "./dom.ts";
import type { Format } from "./format.ts";
import type { ShownMessage } from "./history.ts";
import { icons } from "./icons.ts";
import type { ShownFile } from "./protocol.ts";
import { fill, strings } from "./strings/strings.ts";

export interface MessageActions {
  format: Format;
  fileUrl(file: ShownFile): string;
  /** Shows a picture by itself. */
  enlarge(file: ShownFile): void;
  /** Text of a quote, if known. */
  quoted(quote: { id?: string; text?: string }): string | undefined;
  /** Scrolls to a message. */
  find(id: string): void;
  quote(message: ShownMessage): void;
  retry(id: string): void;
  discard(id: string): void;
}

export interface MessageView {
  element: HTMLElement;
  /** `follows`: the message before is by the same author, so the name is not repeated. */
  update(message: ShownMessage, follows: boolean): void;
}

/** One message. Redraws only what has changed, to keep focus and the position of screen readers. */
export function messageView(actions: MessageActions): MessageView {
  const author = el("div", { class: "author" });
  const content = el("div", { class: "content" });
  const meta = el("div", { class: "meta" });
  const side = el("div", { class: "side" });
  const below = el("div", { class: "refusal", hidden: true });
  const bubble = el("div", { class: "bubble" }, content, meta);
  const element = el("article", { class: "message" }, author, el("div", { class: "line" }, bubble, side), below);
  const put = createRedraw();
  let last: [ShownMessage?, boolean?, string?] = [];
  const update = (message: ShownMessage, follows: boolean) => {
    const quoted = message.quote && actions.quoted(message.quote);
    if (last[0] === message && last[1] === follows && last[2] === quoted) return;
    last = [message, follows, quoted];
    element.dataset.message = message.id;
    element.dataset.from = message.from;
    element.dataset.status = message.status;
    element.classList.toggle("follows", follows);
    const { text, files, deleted, edited, status, refused, at, from, item } = message;
    put(author, [from, message.author], () => drawAuthor(message));
    put(content, [text, files, deleted, quoted, edited], () => drawContent(message, quoted, actions));
    put(meta, [edited, deleted, status, at], () => drawMeta(message, actions.format));
    put(below, [status, refused], () => drawRefusal(message, actions));
    put(side, [status, deleted, text, files], () => drawSide(message, actions));
    bubble.classList.toggle("has-card", !!item && !edited && !deleted);
    bubble.classList.toggle("picture-only", !deleted && !text && files.length > 0 && files.every((file) => file.image));
    below.hidden = status !== "refused";
  };
  return { element, update };
}

/** Redraws an element when the values it shows have changed. */
function createRedraw() {
  const states = new Map<HTMLElement, string>();
  return (part: HTMLElement, shows: unknown[], draw: () => Child[]) => {
    const state = JSON.stringify(shows);
    if (states.get(part) === state) return;
    states.set(part, state);
    part.replaceChildren(...draw().filter((child): child is Node | string => Boolean(child)));
  };
}

function drawAuthor({ from, author }: ShownMessage): Child[] {
  if (from === "visitor") return [el("span", { class: "sr" }, strings.you)];
  return [author && el("bdi", {}, author.name), author?.bot && el("span", { class: "bot" }, strings.bot)];
}

function drawContent(message: ShownMessage, quoted: string | undefined, actions: MessageActions): Child[] {
  if (message.deleted) return [el("p", { class: "text gone" }, strings.deleted)];
  const pictures = message.files.filter((file) => file.image);
  // An edit is text: it may differ from the card.
  const item = message.edited ? undefined : message.item;
  const text = item ? message.words : message.text;
  return [
    quoted && drawQuote(quoted, message.quote?.id, actions),
    item && text && el("p", { class: "text", dir: "auto" }, ...linked(text)),
    item && cardOf(item, actions.format),
    pictures.length > 0 &&
      el(
        "div",
        { class: pictures.length > 1 ? "pictures several" : "pictures" },
        ...pictures.map((file) => drawPicture(file, actions)),
      ),
    ...message.files.filter((file) => !file.image).map((file) => drawFile(file, actions)),
    !item && text && el("p", { class: "text", dir: "auto" }, ...linked(text)),
  ];
}

function drawQuote(text: string, id: string | undefined, actions: MessageActions): HTMLElement {
  const about = { class: "quoted", dir: "auto" };
  const lines = el("span", {}, text);
  if (!id) return el("div", about, lines);
  return button({ ...about, "data-part": "quoted" }, fill(strings.toQuoted, { text }), () => actions.find(id), lines);
}

function drawMeta({ at, edited, deleted, from, status }: ShownMessage, format: Format): Child[] {
  return [
    edited && !deleted && el("span", { class: "edited" }, strings.edited),
    el("time", { datetime: new Date(at).toISOString() }, format.time(at)),
    from === "visitor" && el("span", { class: "tick", title: strings[status] }, icon(icons[status])),
    from === "visitor" && el("span", { class: "sr" }, strings[status]),
  ];
}

function drawRefusal({ id, refused, status }: ShownMessage, actions: MessageActions): Child[] {
  if (status !== "refused") return [];
  return [
    el("span", {}, `${strings.refused}: ${refused ?? ""}`),
    button({ "data-part": "retry" }, strings.again, () => actions.retry(id), strings.again),
    button({ "data-part": "discard" }, strings.discard, () => actions.discard(id), strings.discard),
  ];
}

const drawSide = (message: ShownMessage, actions: MessageActions): Child[] => [
  !message.deleted &&
    message.status !== "sending" &&
    message.status !== "refused" &&
    button(
      { class: "quote-button", "data-part": "quote" },
      strings.reply,
      () => actions.quote(message),
      icon(icons.quote),
    ),
];

function drawPicture(file: ShownFile, actions: MessageActions): HTMLElement {
  const [width, height] = file.width && file.height ? [String(file.width), String(file.height)] : [];
  const picture = { class: "picture", src: actions.fileUrl(file), alt: file.name, loading: "lazy", width, height };
  const label = fill(strings.enlarge, { name: file.name });
  return button({ class: "enlarge", "data-part": "picture" }, label, () => actions.enlarge(file), el("img", picture));
}

function drawFile(file: ShownFile, actions: MessageActions): HTMLElement {
  const [kind = ""] = file.mediaType.split("/");
  if (kind !== "audio" && kind !== "video") return drawDownload(file, actions);
  const about = { class: kind, src: actions.fileUrl(file), controls: true, preload: "none", "aria-label": file.name };
  const player = kind === "audio" ? el("audio", about) : el("video", { ...about, playsinline: true });
  // The browser does not support this sound or video format.
  player.onerror = () => player.replaceWith(drawDownload(file, actions));
  return player;
}

function drawDownload(file: ShownFile, actions: MessageActions): HTMLElement {
  const name = el("span", { class: "file-name", dir: "auto" }, file.name);
  const about = el("span", { class: "file-about" }, name, el("small", {}, actions.format.size(file.size)));
  const to = { href: actions.fileUrl(file), target: "_blank", rel: "noopener noreferrer", download: file.name };
  return el("a", { ...to, class: "file" }, el("span", { class: "file-icon" }, icon(icons.file)), about);
}
