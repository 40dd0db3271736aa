import type { Shown } from "./chat.ts";
import { button, el, icon, linked } from "./dom.ts";
import type { ShownFile } from "./protocol.ts";
import { words } from "./strings.ts";
import { icons } from "./style.ts";

const TICKS: Record<string, string> = { sending: "◷", sent: "✓", delivered: "✓✓", read: "✓✓", refused: "!" };

export interface MessageActs {
  fileUrl(file: ShownFile): string;
  quoted(id: string): Shown | undefined;
  quote(message: Shown): void;
  retry(id: string): void;
  discard(id: string): void;
}

/** One message as an article of the log. */
export function drawMessage(message: Shown, acts: MessageActs): HTMLElement {
  const bubble = el("div", { class: "bubble" });
  if (message.deleted) bubble.append(el("p", { class: "text gone" }, words.deleted));
  else {
    const quoted = message.quote?.id ? acts.quoted(message.quote.id) : undefined;
    const quotedText = quoted?.text || message.quote?.text || quoted?.files[0]?.name;
    if (quotedText) bubble.append(el("div", { class: "quoted" }, quotedText));
    for (const file of message.files) bubble.append(drawFile(file, acts));
    if (message.text) bubble.append(el("p", { class: "text" }, ...linked(message.text)));
  }
  const attributes = {
    class: "message",
    "data-message": message.id,
    "data-from": message.from,
    "data-status": message.status,
  };
  const author = message.from === "agent" && message.author?.name;
  return el(
    "article",
    attributes,
    ...(author ? [el("div", { class: "author" }, author)] : []),
    bubble,
    drawMeta(message, acts),
  );
}

function drawMeta(message: Shown, acts: MessageActs): HTMLElement {
  const time = new Date(message.at);
  const meta = el(
    "div",
    { class: "meta" },
    el("time", { datetime: time.toISOString() }, time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })),
  );
  if (message.edited && !message.deleted) meta.append(el("span", {}, words.edited));
  if (message.from === "visitor") {
    const said = words.status[message.status] ?? "";
    meta.append(
      el("span", { class: "tick", "aria-hidden": "true" }, TICKS[message.status] ?? ""),
      el("span", { class: message.refused ? "" : "sr" }, message.refused ? `${said}: ${message.refused}` : said),
    );
  }
  if (message.status === "refused") {
    meta.append(
      button({}, words.again, () => acts.retry(message.id), words.again),
      button({}, words.discard, () => acts.discard(message.id), words.discard),
    );
  } else if (!message.deleted && message.status !== "sending") {
    meta.append(
      button({ class: "quote-button", "data-part": "quote" }, words.reply, () => acts.quote(message), words.reply),
    );
  }
  return meta;
}

function drawFile(file: ShownFile, acts: MessageActs): HTMLElement {
  const link = { href: acts.fileUrl(file), target: "_blank", rel: "noopener" };
  if (file.image)
    return el("a", link, el("img", { class: "picture", src: link.href, alt: file.name, loading: "lazy" }));
  const size =
    file.size > 1024 * 1024 ? `${(file.size / 1024 / 1024).toFixed(1)} MB` : `${Math.ceil(file.size / 1024)} KB`;
  return el("a", { ...link, class: "file", download: file.name }, icon(icons.file), `${file.name} (${size})`);
}
