import type { Chat, Shown } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { button, el, icon, webAddress } from "./dom.ts";
import { drawMessage, type MessageActs } from "./message.ts";
import type { ShownFile, Suggestion } from "./protocol.ts";
import { words } from "./strings.ts";
import { icons, style } from "./style.ts";

/** White or near-black, whichever reads better on the accent (relative luminance, WCAG 2). */
function inkOn(colour: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.35 ? "#10191d" : "#fff";
}

/** The messages, newest at the end; only what changed is touched, so that focus and a screen reader's place stay. */
function createLog(chat: Chat, acts: MessageActs) {
  const element = el("div", {
    class: "log",
    role: "log",
    "aria-live": "polite",
    "aria-label": words.messages,
    tabindex: "0",
    "data-part": "log",
  });
  const greeting = el("p", { class: "greeting" });
  const drawn = new Map<string, { state: string; element: HTMLElement }>();
  let atEnd = true;
  const toEnd = () => {
    if (atEnd) element.scrollTop = element.scrollHeight;
  };
  element.addEventListener("scroll", () => {
    atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 60;
  });
  // A picture gets its height late.
  element.addEventListener("load", toEnd, true);
  const elementOf = (message: Shown) => {
    const state = JSON.stringify(message);
    const before = drawn.get(message.id);
    const made = before?.state === state ? before.element : drawMessage(message, acts);
    drawn.set(message.id, { state, element: made });
    return made;
  };
  const draw = (messages: Shown[]) => {
    greeting.textContent = chat.opened()?.greeting ?? "";
    const all = [greeting, ...messages.map(elementOf)];
    for (const [n, child] of all.entries())
      if (element.children[n] !== child) element.insertBefore(child, element.children[n] ?? null);
    while (element.children.length > all.length) element.lastElementChild?.remove();
    toEnd();
  };
  const showEnd = () => {
    atEnd = true;
    toEnd();
  };
  return { element, draw, showEnd };
}

/** Buttons under the newest message of an agent. */
function createSuggestions(chat: Chat, ask: (suggestion: Suggestion) => void) {
  const element = el("div", { class: "suggestions", hidden: true });
  let state = "";
  const answer = (suggestion: Suggestion) => {
    const address = suggestion.type === "url" ? webAddress(suggestion.payload ?? suggestion.title) : undefined;
    if (address) window.open(address, "_blank", "noopener,noreferrer");
    else if (suggestion.type === "text") chat.say(suggestion.title, []);
    else if (suggestion.type !== "url") ask(suggestion);
  };
  const draw = (last: Shown | undefined) => {
    const offered = last?.from === "agent" && !last.deleted ? (last.suggestions ?? []) : [];
    const now = JSON.stringify([last?.id, offered]);
    if (state === now) return;
    state = now;
    element.hidden = offered.length === 0;
    element.replaceChildren(
      ...offered.map((s) => button({ "data-suggestion": s.type }, s.title, () => answer(s), s.title)),
    );
  };
  return { element, draw };
}

/** An element of our own on the shop's page; its styles stay inside, and under any Content-Security-Policy. */
function createHost() {
  const host = document.createElement("gangway-chat");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];
  return { host, root };
}

/** Puts launcher and panel on the page; the answer draws them anew. */
export function showPanel(chat: Chat, fileUrl: (file: ShownFile) => string): () => void {
  const { host, root } = createHost();
  const composer = createComposer(chat);
  const quoted = (id: string) => chat.messages().find((message) => message.id === id);
  const log = createLog(chat, { fileUrl, quoted, quote: composer.quote, retry: chat.retry, discard: chat.discard });
  const suggestions = createSuggestions(chat, composer.ask);
  const title = el("h2", { id: "title" });
  const offline = el("div", { class: "offline", role: "status", hidden: true }, words.offline);
  const close = button({ class: "icon" }, words.close, () => toggle(false), icon(icons.close));
  const head = el("div", { class: "head" }, title, close);
  const about = { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: true, "data-part": "panel" };
  const panel = el("div", about, head, offline, log.element, suggestions.element, composer.element);
  const count = el("span", { class: "count", hidden: true });
  const looks = { class: "launcher", "data-part": "launcher", "aria-expanded": "false" };
  const launcher = button(looks, words.open, () => toggle(panel.hidden === true), icon(icons.chat), count);
  root.append(panel, launcher);
  document.body.append(host);

  const toggle = (open: boolean) => {
    panel.hidden = !open;
    host.classList.toggle("open", open);
    launcher.setAttribute("aria-expanded", String(open));
    draw();
    if (!open) return launcher.focus();
    log.showEnd();
    composer.focus();
  };
  const drawHead = () => {
    const opened = chat.opened();
    title.textContent = opened?.title ?? "";
    offline.hidden = chat.online() || !opened;
    if (!opened || !/^#[0-9a-f]{6}$/i.test(opened.accent)) return;
    host.style.setProperty("--accent", opened.accent);
    host.style.setProperty("--accent-ink", inkOn(opened.accent));
  };
  const draw = () => {
    drawHead();
    if (!panel.hidden) {
      const messages = chat.messages();
      log.draw(messages);
      suggestions.draw(messages.at(-1));
      if (document.visibilityState === "visible") chat.markRead();
    }
    const unread = chat.unread().length;
    count.hidden = unread === 0;
    count.textContent = String(unread);
    const toOpen = unread > 0 ? `${words.open}, ${words.unread(unread)}` : words.open;
    launcher.setAttribute("aria-label", panel.hidden ? toOpen : words.close);
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") toggle(false);
  });
  document.addEventListener("visibilitychange", draw);
  draw();
  return draw;
}
