import type { Chat, Shown } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { button, el, icon, webAddress } from "./dom.ts";
import { drawMessage } from "./message.ts";
import type { ShownFile, Suggestion } from "./protocol.ts";
import { words } from "./strings.ts";
import { icons, style } from "./style.ts";

/** White or near-black, whichever reads better on the accent (relative luminance, WCAG 2). */
function inkOn(colour: string): string {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.35 ? "#10191d" : "#fff";
}

/** Puts launcher and panel on the page; the answer draws them anew. */
export function showPanel(chat: Chat, fileUrl: (file: ShownFile) => string): () => void {
  const host = document.createElement("gangway-chat");
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  root.adoptedStyleSheets = [sheet];

  const composer = createComposer(chat);
  const title = el("h2", { id: "title" });
  const offline = el("div", { class: "offline", role: "status", hidden: true }, words.offline);
  const log = el("div", {
    class: "log",
    role: "log",
    "aria-live": "polite",
    "aria-label": words.messages,
    tabindex: "0",
    "data-part": "log",
  });
  const suggestions = el("div", { class: "suggestions", hidden: true });
  const head = el(
    "div",
    { class: "head" },
    title,
    button({ class: "icon" }, words.close, () => toggle(false), icon(icons.close)),
  );
  const panel = el(
    "div",
    { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: true, "data-part": "panel" },
    head,
    offline,
    log,
    suggestions,
    composer.element,
  );
  const count = el("span", { class: "count", hidden: true });
  const launcher = button(
    { class: "launcher", "data-part": "launcher", "aria-expanded": "false" },
    words.open,
    () => toggle(panel.hidden === true),
    icon(icons.chat),
    count,
  );
  root.append(panel, launcher);
  document.body.append(host);

  const toggle = (open: boolean) => {
    panel.hidden = !open;
    host.classList.toggle("open", open);
    launcher.setAttribute("aria-expanded", String(open));
    launcher.setAttribute("aria-label", open ? words.close : words.open);
    if (open) {
      draw();
      log.scrollTop = log.scrollHeight;
      composer.focus();
    } else launcher.focus();
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") toggle(false);
  });

  const drawn = new Map<string, { state: string; element: HTMLElement }>();
  const quoted = (id: string) => chat.messages().find((message) => message.id === id);
  const acts = { fileUrl, quoted, quote: composer.quote, retry: chat.retry, discard: chat.discard };
  const drawLog = (messages: Shown[]) => {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    const greeting = chat.opened()?.greeting;
    const elements = messages.map((message) => {
      const state = JSON.stringify(message);
      const before = drawn.get(message.id);
      const element = before?.state === state ? before.element : drawMessage(message, acts);
      drawn.set(message.id, { state, element });
      return element;
    });
    const all = [...(greeting ? [greetingOf(greeting)] : []), ...elements];
    // Only what changed is touched: a screen reader reads the log's additions, and focus stays.
    for (const [n, element] of all.entries())
      if (log.children[n] !== element) log.insertBefore(element, log.children[n] ?? null);
    while (log.children.length > all.length) log.lastElementChild?.remove();
    if (atEnd) log.scrollTop = log.scrollHeight;
  };
  let greetingElement: HTMLElement | undefined;
  const greetingOf = (text: string) => {
    greetingElement ??= el("p", { class: "greeting" }, text);
    return greetingElement;
  };
  const answer = (suggestion: Suggestion) => {
    const address = suggestion.type === "url" ? webAddress(suggestion.payload ?? suggestion.title) : undefined;
    if (address) window.open(address, "_blank", "noopener,noreferrer");
    else if (suggestion.type === "text") chat.say(suggestion.title, []);
    else if (suggestion.type !== "url") composer.ask(suggestion);
  };
  const drawSuggestions = (last: Shown | undefined) => {
    const offered = last?.from === "agent" && !last.deleted ? (last.suggestions ?? []) : [];
    const state = JSON.stringify([last?.id, offered]);
    if (suggestions.dataset.state === state) return;
    suggestions.dataset.state = state;
    suggestions.hidden = offered.length === 0;
    suggestions.replaceChildren(
      ...offered.map((s) => button({ "data-suggestion": s.type }, s.title, () => answer(s), s.title)),
    );
  };
  const draw = () => {
    const opened = chat.opened();
    title.textContent = opened?.title ?? "";
    if (opened && /^#[0-9a-f]{6}$/i.test(opened.accent)) {
      host.style.setProperty("--accent", opened.accent);
      host.style.setProperty("--accent-ink", inkOn(opened.accent));
    }
    offline.hidden = chat.online() || !opened;
    const messages = chat.messages();
    if (!panel.hidden) {
      drawLog(messages);
      drawSuggestions(messages.at(-1));
      if (document.visibilityState === "visible") chat.markRead();
    }
    const unread = chat.unread().length;
    count.hidden = unread === 0;
    count.textContent = String(unread);
    if (panel.hidden)
      launcher.setAttribute("aria-label", unread > 0 ? `${words.open}, ${words.unread(unread)}` : words.open);
  };
  document.addEventListener("visibilitychange", draw);
  draw();
  return draw;
}
