import type { Chat } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { cutText } from "./cut.ts";
import { button, el, icon, relabel } from "./dom.ts";
import { formatIn } from "./format.ts";
import { createHost } from "./host.ts";
import { icons } from "./icons.ts";
import { createLog } from "./log.ts";
import type { ShownFile } from "./protocol.ts";
import { strings } from "./strings.ts";

/** Adds launcher and panel to the page. The result redraws them. */
export function showPanel(chat: Chat, fileUrl: (file: ShownFile) => string, locale: string): () => void {
  const format = formatIn(locale);
  const host = createHost(format.locale);
  const composer = createComposer(chat);
  const { quote, ask } = composer;
  const find = (id: string) => void log.find(id);
  const actions = { format, fileUrl, quoted: quotedIn(chat), find, quote, retry: chat.retry, discard: chat.discard };
  const log = createLog(chat, actions, ask);
  const head = createHead(() => toggle(false));
  const offline = el("div", { class: "offline", role: "status", hidden: true });
  const about = { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: true, "data-part": "panel" };
  const panel = el("div", about, head.element, offline, log.element, composer.element);
  const launcher = createLauncher(() => toggle(panel.hidden === true));
  host.root.append(panel, launcher.element);
  document.body.append(host.element);

  const toggle = (open: boolean) => {
    panel.hidden = !open;
    host.root.classList.toggle("open", open);
    draw();
    if (!open) return launcher.element.focus();
    log.showEnd();
    focus();
  };
  const focus = () => (chat.isClosed() ? log.focus() : composer.focus());
  const draw = () => {
    const opened = chat.opened();
    const closed = chat.isClosed();
    if (opened) host.paint(opened.accent);
    head.draw(opened?.title ?? strings.chat);
    offline.hidden = chat.state() === "online";
    offline.classList.toggle("closed", closed);
    const text = connectionText(chat);
    if (offline.textContent !== text) offline.textContent = text;
    const hadFocus = composer.element.contains(host.element.shadowRoot?.activeElement ?? null);
    composer.enable(!closed);
    // A disabled input loses focus; Escape must still work.
    if (closed && hadFocus) focus();
    if (!panel.hidden) {
      log.draw();
      if (document.visibilityState === "visible") chat.markRead();
    }
    launcher.draw(!panel.hidden, chat.unread().length);
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (!composer.escape()) toggle(false);
  });
  acceptDrops(panel, chat, composer.attach);
  document.addEventListener("visibilitychange", draw);
  draw();
  return draw;
}

/** Describes the connection to the visitor. */
function connectionText(chat: Chat): string {
  const state = chat.state();
  const text = state === "closed" || state === "elsewhere" || state === "busy" ? strings[state] : strings.offline;
  const isKept = chat.isClosed() && chat.messages().some(({ status }) => status === "sending");
  return isKept ? `${text} ${strings.kept}` : text;
}

/** Characters of a quote; CSS shows three lines. */
const QUOTE_LENGTH = 200;

/** Text of a quote: the current message if it is loaded, else the text that came with the quote. */
const quotedIn =
  (chat: Chat) =>
  ({ id, text }: { id?: string; text?: string }): string | undefined => {
    const message = id ? chat.find(id) : undefined;
    if (message?.deleted) return strings.deleted;
    const whole = message?.text || message?.files[0]?.name || text || "";
    const kept = cutText(whole, QUOTE_LENGTH);
    return (kept === whole ? whole : `${kept.trimEnd()}…`) || undefined;
  };

function createHead(close: () => void) {
  const title = el("h2", { id: "title" });
  const sign = el("span", { class: "sign" }, icon(icons.chat));
  const element = el(
    "div",
    { class: "head" },
    sign,
    title,
    button({ class: "icon", "data-part": "close" }, strings.close, close, icon(icons.close)),
  );
  const draw = (text: string) => {
    if (title.textContent !== text) title.textContent = text;
  };
  return { element, draw };
}

/** Beyond this the badge shows `99+`. */
const MAX_COUNT = 99;

function createLauncher(toggle: () => void) {
  const count = el("span", { class: "count", "data-part": "count", hidden: true });
  const signs = el("span", { class: "signs" }, icon(icons.chat), icon(icons.down));
  const about = { class: "launcher", "data-part": "launcher", "aria-expanded": "false" };
  const element = button(about, strings.open, toggle, signs, count);
  const draw = (open: boolean, unread: number) => {
    count.hidden = unread === 0;
    count.textContent = unread > MAX_COUNT ? `${MAX_COUNT}+` : String(unread);
    element.setAttribute("aria-expanded", String(open));
    const toOpen = unread > 0 ? `${strings.open}, ${strings.unread(unread)}` : strings.open;
    relabel(element, open ? strings.close : toOpen);
  };
  return { element, draw };
}

function acceptDrops(panel: HTMLElement, chat: Chat, take: (files: File[]) => void): void {
  const veil = el("div", { class: "veil", hidden: true, "aria-hidden": "true" }, strings.drop);
  panel.append(veil);
  const onDrag = (event: DragEvent, over: boolean) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    veil.hidden = !over || chat.isClosed();
  };
  panel.addEventListener("dragover", (event) => onDrag(event, true));
  panel.addEventListener("dragleave", (event) => {
    if (!panel.contains(event.relatedTarget as Node | null)) onDrag(event, false);
  });
  panel.addEventListener("drop", (event) => {
    onDrag(event, false);
    take([...(event.dataTransfer?.files ?? [])]);
  });
}
