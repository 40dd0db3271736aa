import { button, type Child, el, icon, linked } from "./dom.ts";
import type { Format } from "./format.ts";
import type { Shown } from "./history.ts";
import { icons } from "./icons.ts";
import type { ShownFile } from "./protocol.ts";
import { words } from "./strings.ts";

export interface MessageActs {
  format: Format;
  fileUrl(file: ShownFile): string;
  /** What a quote says, as far as it is known. */
  quoted(quote: { id?: string; text?: string }): string | undefined;
  /** Goes to a message. */
  find(id: string): void;
  quote(message: Shown): void;
  retry(id: string): void;
  discard(id: string): void;
}

export interface MessageView {
  element: HTMLElement;
  /** `follows`: the same person has just spoken, so that the name need not be said again. */
  update(message: Shown, follows: boolean): void;
}

/** One message as an article of the log; only what changes is made anew, so that focus and a screen reader's place stay. */
export function messageView(acts: MessageActs): MessageView {
  const author = el("div", { class: "author" });
  const content = el("div", { class: "content" });
  const meta = el("div", { class: "meta" });
  const side = el("div", { class: "side" });
  const below = el("div", { class: "refusal", hidden: true });
  const bubble = el("div", { class: "bubble" }, content, meta);
  const element = el("article", { class: "message" }, author, el("div", { class: "line" }, bubble, side), below);
  const put = changing();
  let last: [Shown?, boolean?, string?] = [];
  const update = (message: Shown, follows: boolean) => {
    const quoted = message.quote && acts.quoted(message.quote);
    if (last[0] === message && last[1] === follows && last[2] === quoted) return;
    last = [message, follows, quoted];
    element.dataset.message = message.id;
    element.dataset.from = message.from;
    element.dataset.status = message.status;
    element.classList.toggle("follows", follows);
    const { text, files, deleted, edited, status, refused, at, from } = message;
    put(author, [from, message.author], () => drawAuthor(message));
    put(content, [text, files, deleted, quoted], () => drawContent(message, quoted, acts));
    put(meta, [edited, deleted, status, at], () => drawMeta(message, acts.format));
    put(below, [status, refused], () => drawRefusal(message, acts));
    put(side, [status, deleted, text, files], () => drawSide(message, acts));
    bubble.classList.toggle("picture-only", !deleted && !text && files.length > 0 && files.every((file) => file.image));
    below.hidden = status !== "refused";
  };
  return { element, update };
}

/** Draws a part again when what it shows has changed. */
function changing() {
  const states = new Map<HTMLElement, string>();
  return (part: HTMLElement, shows: unknown[], draw: () => Child[]) => {
    const state = JSON.stringify(shows);
    if (states.get(part) === state) return;
    states.set(part, state);
    part.replaceChildren(...draw().filter((child): child is Node | string => Boolean(child)));
  };
}

function drawAuthor({ from, author }: Shown): Child[] {
  if (from === "visitor") return [el("span", { class: "sr" }, words.you)];
  return [author?.name, author?.bot && el("span", { class: "bot" }, words.bot)];
}

function drawContent(message: Shown, quoted: string | undefined, acts: MessageActs): Child[] {
  if (message.deleted) return [el("p", { class: "text gone" }, words.deleted)];
  const pictures = message.files.filter((file) => file.image);
  return [
    quoted && drawQuote(quoted, message.quote?.id, acts),
    pictures.length > 0 &&
      el(
        "div",
        { class: pictures.length > 1 ? "pictures several" : "pictures" },
        ...pictures.map((file) => drawPicture(file, acts)),
      ),
    ...message.files.filter((file) => !file.image).map((file) => drawFile(file, acts)),
    message.text && el("p", { class: "text", dir: "auto" }, ...linked(message.text)),
  ];
}

function drawQuote(text: string, id: string | undefined, acts: MessageActs): HTMLElement {
  const about = { class: "quoted", dir: "auto" };
  const lines = el("span", {}, text);
  if (!id) return el("div", about, lines);
  return button({ ...about, "data-part": "quoted" }, words.toQuoted(text), () => acts.find(id), lines);
}

function drawMeta({ at, edited, deleted, from, status }: Shown, format: Format): Child[] {
  return [
    edited && !deleted && el("span", { class: "edited" }, words.edited),
    el("time", { datetime: new Date(at).toISOString() }, format.time(at)),
    from === "visitor" && el("span", { class: "tick", title: words.status[status] }, icon(icons[status])),
    from === "visitor" && el("span", { class: "sr" }, words.status[status]),
  ];
}

function drawRefusal({ id, refused, status }: Shown, acts: MessageActs): Child[] {
  if (status !== "refused") return [];
  return [
    el("span", {}, `${words.status.refused}: ${refused ?? ""}`),
    button({ "data-part": "retry" }, words.again, () => acts.retry(id), words.again),
    button({ "data-part": "discard" }, words.discard, () => acts.discard(id), words.discard),
  ];
}

const drawSide = (message: Shown, acts: MessageActs): Child[] => [
  !message.deleted &&
    message.status !== "sending" &&
    message.status !== "refused" &&
    button({ class: "quote-button", "data-part": "quote" }, words.reply, () => acts.quote(message), icon(icons.quote)),
];

const linkTo = (file: ShownFile, acts: MessageActs) => ({
  href: acts.fileUrl(file),
  target: "_blank",
  rel: "noopener noreferrer",
});

function drawPicture(file: ShownFile, acts: MessageActs): HTMLElement {
  const link = linkTo(file, acts);
  const [width, height] = file.width && file.height ? [String(file.width), String(file.height)] : [];
  const picture = { class: "picture", src: link.href, alt: file.name, loading: "lazy", width, height };
  return el("a", link, el("img", picture));
}

function drawFile(file: ShownFile, acts: MessageActs): HTMLElement {
  const name = el("span", { class: "file-name", dir: "auto" }, file.name);
  const about = el("span", { class: "file-about" }, name, el("small", {}, acts.format.size(file.size)));
  return el(
    "a",
    { ...linkTo(file, acts), class: "file", download: file.name },
    el("span", { class: "file-icon" }, icon(icons.file)),
    about,
  );
}
