import type { Chat } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { button, el, icon, relabel } from "./dom.ts";
import { formatIn } from "./format.ts";
import { createHost } from "./host.ts";
import { icons } from "./icons.ts";
import { createLog } from "./log.ts";
import type { ShownFile } from "./protocol.ts";
import { words } from "./strings.ts";

/** Puts launcher and panel on the page; the answer draws them anew. */
export function showPanel(chat: Chat, fileUrl: (file: ShownFile) => string, language: string | undefined): () => void {
  const format = formatIn(language);
  const host = createHost(format.locale);
  const composer = createComposer(chat);
  const { quote, ask } = composer;
  const find = (id: string) => void log.find(id);
  const acts = { format, fileUrl, quoted: quotedIn(chat), find, quote, retry: chat.retry, discard: chat.discard };
  const log = createLog(chat, acts, ask);
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
    head.draw(opened?.title ?? words.chat);
    offline.hidden = chat.state() === "online";
    offline.classList.toggle("closed", closed);
    const said = saidOf(chat);
    if (offline.textContent !== said) offline.textContent = said;
    const hadFocus = composer.element.contains(host.element.shadowRoot?.activeElement ?? null);
    composer.enable(!closed);
    // A disabled input loses the focus; Escape must still work.
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
  takeDrops(panel, chat, composer.attach);
  document.addEventListener("visibilitychange", draw);
  draw();
  return draw;
}

/** What the visitor is told of the connection. */
function saidOf(chat: Chat): string {
  const state = chat.state();
  const told = state === "closed" || state === "elsewhere" || state === "busy" ? words[state] : words.offline;
  const isKept = chat.isClosed() && chat.messages().some(({ status }) => status === "sending");
  return isKept ? `${told} ${words.kept}` : told;
}

/** Characters of a quote; three lines of it are shown. */
const QUOTE_LENGTH = 200;

/** What a quote says: the message as it now is, or what came with the quote when that is too long ago. */
const quotedIn =
  (chat: Chat) =>
  ({ id, text }: { id?: string; text?: string }): string | undefined => {
    const message = id ? chat.find(id) : undefined;
    if (message?.deleted) return words.deleted;
    return (message?.text || message?.files[0]?.name || text)?.slice(0, QUOTE_LENGTH);
  };

function createHead(close: () => void) {
  const title = el("h2", { id: "title" });
  const sign = el("span", { class: "sign" }, icon(icons.chat));
  const element = el(
    "div",
    { class: "head" },
    sign,
    title,
    button({ class: "icon", "data-part": "close" }, words.close, close, icon(icons.close)),
  );
  const draw = (text: string) => {
    if (title.textContent !== text) title.textContent = text;
  };
  return { element, draw };
}

/** Unread messages beyond this are not counted one by one. */
const MOST_COUNTED = 99;

function createLauncher(toggle: () => void) {
  const count = el("span", { class: "count", "data-part": "count", hidden: true });
  const signs = el("span", { class: "signs" }, icon(icons.chat), icon(icons.down));
  const about = { class: "launcher", "data-part": "launcher", "aria-expanded": "false" };
  const element = button(about, words.open, toggle, signs, count);
  const draw = (open: boolean, unread: number) => {
    count.hidden = unread === 0;
    count.textContent = unread > MOST_COUNTED ? `${MOST_COUNTED}+` : String(unread);
    element.setAttribute("aria-expanded", String(open));
    const toOpen = unread > 0 ? `${words.open}, ${words.unread(unread)}` : words.open;
    relabel(element, open ? words.close : toOpen);
  };
  return { element, draw };
}

function takeDrops(panel: HTMLElement, chat: Chat, take: (files: File[]) => void): void {
  const veil = el("div", { class: "veil", hidden: true, "aria-hidden": "true" }, words.drop);
  panel.append(veil);
  const hold = (event: DragEvent, over: boolean) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    veil.hidden = !over || chat.isClosed();
  };
  panel.addEventListener("dragover", (event) => hold(event, true));
  panel.addEventListener("dragleave", (event) => {
    if (!panel.contains(event.relatedTarget as Node | null)) hold(event, false);
  });
  panel.addEventListener("drop", (event) => {
    hold(event, false);
    take([...(event.dataTransfer?.files ?? [])]);
  });
}
