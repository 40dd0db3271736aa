import type { Chat } from "./chat.ts";
import { button, el, icon } from "./dom.ts";
import type { ShownMessage } from "./history.ts";
import { icons } from "./icons.ts";
import type { Look } from "./look.ts";
import { type MessageActions, type MessageView, messageView } from "./message.ts";
import { createOlder } from "./older.ts";
import { strings } from "./strings/strings.ts";
import { createSuggestions, type Suggestions } from "./suggestions.ts";

/** Messages of one author within this time are grouped, ms. */
const GROUP_MS = 5 * 60_000;
/** Within this distance of its end the log stays scrolled to the end, pixels. */
const NEAR_END = 80;

export interface Log {
  element: HTMLElement;
  draw(): void;
  showEnd(): void;
  focus(): void;
  /** Scrolls to a message; loads older messages until it is there. */
  find(id: string): Promise<void>;
  /** Scrolls to a loaded message and marks it, or none; the focus stays. */
  mark(id: string | undefined): void;
}

/** The elements around the messages. */
interface Around {
  ask: Suggestions["ask"];
  look(): Look;
  /** Whether the visitor may write. */
  mayWrite(): boolean;
  /** Below everything. */
  after: HTMLElement;
}

/** Keeps the log at its end, or where the visitor has scrolled to. */
function createScroll(log: HTMLElement, list: HTMLElement, latest: HTMLElement, approach: () => void) {
  let atEnd = true;
  let top = 0;
  let restore = () => {};
  const setEnd = (end: boolean) => {
    atEnd = end;
    latest.hidden = end;
  };
  const stay = () => {
    if (atEnd) log.scrollTop = log.scrollHeight;
    else restore();
  };
  const remember = () => {
    restore = scrollAnchor(log, list);
  };
  const showEnd = () => {
    setEnd(true);
    stay();
  };
  log.addEventListener("scroll", () => {
    const near = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END;
    // Only a person scrolls up. A growing picture moves the end away without scrolling.
    const isUp = log.scrollTop < top;
    if (near || isUp) setEnd(near);
    top = log.scrollTop;
    remember();
    if (isUp && top < log.clientHeight) approach();
  });
  return { setEnd, stay, remember, showEnd };
}

/** The messages, newest last, with the suggestions of the newest. */
export function createLog(chat: Chat, actions: MessageActions, { ask, look, mayWrite, after }: Around): Log {
  const greeting = createGreeting(chat, look, mayWrite);
  const list = el("div", { class: "list" });
  const suggestions = createSuggestions(chat, ask);
  const about = { role: "log", "aria-live": "polite", "aria-label": strings.messages };
  const log = el("div", { ...about, class: "log", tabindex: "0", "data-part": "log" });
  const older = createOlder(chat, log, () => scroll.setEnd(false));
  log.append(older.element, greeting.element, list, suggestions.element, after);
  const latest = button({ class: "latest", hidden: true }, strings.latest, () => scroll.showEnd(), icon(icons.down));
  const scroll = createScroll(log, list, latest, older.approach);
  const views = new Map<string, MessageView>();
  // Pictures load late, and the composer grows. Safari lacks scroll anchoring.
  const sizes = new ResizeObserver(scroll.stay);
  for (const part of [log, list, suggestions.element, after]) sizes.observe(part);
  const draw = () => {
    const messages = chat.messages();
    scroll.remember();
    greeting.draw(messages);
    older.draw();
    setChildren(list, withDays(messages, views, actions));
    suggestions.draw(chat.isClosed() ? undefined : messages.at(-1));
    scroll.stay();
  };
  const show = (id: string): HTMLElement | undefined => {
    const found = chat.find(id) && views.get(id)?.element;
    if (!found) return undefined;
    scroll.setEnd(false);
    found.scrollIntoView({ block: "center" });
    return found;
  };
  const mark = (id: string | undefined) => {
    for (const { element } of views.values()) element.classList.toggle("hit", element.dataset.message === id);
    if (id) show(id);
  };
  const find = async (id: string) => {
    while (!chat.find(id) && (await older.read()));
    const found = show(id);
    if (!found) return;
    found.tabIndex = -1;
    found.focus({ preventScroll: true });
    found.onblur = () => found.removeAttribute("tabindex");
  };
  const element = el("div", { class: "log-frame" }, log, older.status, latest);
  return { element, draw, showEnd: scroll.showEnd, find, mark, focus: () => log.focus() };
}

/** The shop's first words, and suggestions to begin with. */
function createGreeting(chat: Chat, look: () => Look, mayWrite: () => boolean) {
  const words = el("p", { class: "greeting", dir: "auto" });
  const away = el("p", { class: "greeting", dir: "auto", "data-part": "away" });
  const starters = el("div", { class: "starters suggestions", role: "group", "aria-label": strings.starters });
  const element = el("div", { class: "greetings" }, words, away, starters);
  let drawn = "";
  const draw = (messages: ShownMessage[]) => {
    const { greeting, away: absent, open, starters: chips } = look();
    const isFirst = !chat.hasOlder();
    const offered = isFirst && messages.length === 0 && mayWrite() ? chips : [];
    const shown = isFirst ? [greeting, open ? "" : absent] : ["", ""];
    for (const [n, part] of [words, away].entries()) {
      part.hidden = !shown[n];
      if (part.textContent !== shown[n]) part.textContent = shown[n] ?? "";
    }
    if (drawn === JSON.stringify(offered)) return;
    drawn = JSON.stringify(offered);
    starters.hidden = offered.length === 0;
    starters.replaceChildren(
      ...offered.map((text) => button({ "data-part": "starter", dir: "auto" }, text, () => chat.say(text, []), text)),
    );
  };
  starters.hidden = true;
  return { element, draw };
}

/** Remembers where the topmost visible message is. The result scrolls it back there. */
function scrollAnchor(log: HTMLElement, list: HTMLElement): () => void {
  const edge = log.getBoundingClientRect().top;
  // Not a day separator, which moves when older messages of its day arrive.
  const seen = [...list.querySelectorAll(".message")].find((child) => child.getBoundingClientRect().bottom > edge);
  const before = seen?.getBoundingClientRect().top ?? 0;
  return () => {
    const moved = seen?.isConnected ? seen.getBoundingClientRect().top - before : 0;
    if (moved !== 0) log.scrollTop += moved;
  };
}

function withDays(messages: ShownMessage[], views: Map<string, MessageView>, actions: MessageActions): HTMLElement[] {
  const children: HTMLElement[] = [];
  let before: ShownMessage | undefined;
  let day = "";
  const days = new Map<string, string>();
  for (const message of messages) {
    const date = new Date(message.at).toDateString();
    const today = days.get(date) ?? actions.format.day(message.at);
    days.set(date, today);
    if (today !== day) children.push(dayView(views, today, message.at));
    const view = views.get(message.id) ?? messageView(actions);
    views.set(message.id, view);
    view.update(message, today === day && isGrouped(before, message));
    children.push(view.element);
    [before, day] = [message, today];
  }
  return children;
}

function dayView(views: Map<string, MessageView>, day: string, at: number): HTMLElement {
  const key = `day:${new Date(at).toDateString()}`;
  const view = views.get(key) ?? { element: el("div", { class: "day" }), update: () => {} };
  views.set(key, view);
  if (view.element.textContent !== day) view.element.textContent = day;
  return view.element;
}

const isGrouped = (before: ShownMessage | undefined, { from, author, at }: ShownMessage) =>
  before?.from === from && before.author?.name === author?.name && at - before.at < GROUP_MS;

/** Moves and removes only what differs. */
function setChildren(parent: HTMLElement, children: HTMLElement[]): void {
  const wanted = new Set<Element>(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  for (const [n, child] of children.entries())
    if (parent.children[n] !== child) parent.insertBefore(child, parent.children[n] ?? null);
}
