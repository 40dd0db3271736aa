import { arrange, at, el, icon } from "gangway-messenger/kit/emulator/browser/dom";
import { icons } from "./icons.ts";
import { createMessage, type MessageParts, type ShownMessage, updateTabStops } from "./message.ts";
import type { Message } from "./model.ts";
import { dayName, dayOf } from "./names.ts";
import type { Outbox, Waiting } from "./outbox.ts";
import type { Thread } from "./thread.ts";

export interface LogParts extends MessageParts {
  thread: Thread;
  outbox: Outbox;
  problem(error: unknown): void;
  /** A key that the log does not handle. */
  key(event: KeyboardEvent, message: Message): void;
}

/** Distance from the end that still counts as at the end, px. */
const NEAR_END = 80;
/** Distance from the start that loads older messages, px. */
const NEAR_START = 300;
/** Messages of one author within this time are grouped, ms. */
const TOGETHER_MS = 300_000;

export interface Log {
  focus(): void;
  /** Allowed actions may have changed. */
  refresh(): void;
}

export function createLog(parts: LogParts): Log {
  const { thread, outbox } = parts;
  const box = at("messages");
  const newer = at<HTMLButtonElement>("newer");
  const messages = new Map<number, ShownMessage>();
  const others = new Map<string, HTMLElement>();
  let chatId: number | undefined;
  let sticky = true;
  let lastId = 0;

  const toEnd = () => {
    box.scrollTop = box.scrollHeight;
    sticky = true;
    newer.hidden = true;
  };
  const begin = (id: number | undefined) => {
    chatId = id;
    messages.clear();
    others.clear();
    box.replaceChildren();
    box.setAttribute("aria-busy", "true");
    sticky = true;
    lastId = 0;
  };
  const render = () => {
    if (thread.chatId() !== chatId) begin(thread.chatId());
    const anchor = sticky ? undefined : anchorIn(box);
    const list = thread.messages();
    arrange(box, chatId === undefined ? [] : elementsOf(list));
    const last = list.at(-1)?.id ?? 0;
    if (sticky) toEnd();
    else {
      anchor?.restore();
      if (last !== lastId && lastId !== 0) newer.hidden = false;
    }
    lastId = last;
    settleCurrent(box);
    if (thread.loaded()) requestAnimationFrame(() => box.setAttribute("aria-busy", "false"));
    if (thread.loaded() && box.scrollTop < NEAR_START) more();
  };
  const elementsOf = (list: readonly Message[]): HTMLElement[] => {
    const elements: HTMLElement[] = [];
    const known = new Set(list.map(({ id }) => id));
    for (const id of messages.keys()) if (!known.has(id)) messages.delete(id);
    if (thread.loaded()) elements.push(thread.hasOlder() ? note("older", "Loading older messages …") : start(list));
    else elements.push(note("loading", "Loading …"));
    list.forEach((message, n) => {
      const before = list[n - 1];
      const day = dayOf(message.time);
      if (!before || dayOf(before.time) !== day) elements.push(dayMark(message.id, message.time));
      const shown = messages.get(message.id) ?? createMessage(message.id, parts);
      messages.set(message.id, shown);
      shown.update(message, belongs(message, before));
      elements.push(shown.element);
    });
    for (const waiting of outbox.waiting(chatId, list)) elements.push(waitingMark(waiting));
    return elements;
  };
  const other = (key: string, make: () => HTMLElement): HTMLElement => {
    const found = others.get(key) ?? make();
    others.set(key, found);
    return found;
  };
  const note = (key: string, words: string) => other(key, () => el("p", { class: "log-note" }, words));
  const start = (list: readonly Message[]) =>
    list.length === 0 ? note("none", "No messages yet.") : note("start", "The conversation begins here.");
  const dayMark = (id: number, time: number) =>
    other(`day ${id} ${dayName(time)}`, () => el("p", { class: "day" }, el("span", {}, dayName(time))));
  const waitingMark = ({ key, words, note: isNote }: Waiting) =>
    other(`waiting ${key}`, () => drawWaiting(words, isNote));
  const more = () => {
    if (thread.hasOlder()) thread.older().catch(parts.problem);
  };

  const watch = () => {
    sticky = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END;
    if (sticky) newer.hidden = true;
    if (thread.loaded() && box.scrollTop < NEAR_START) more();
  };
  box.addEventListener("scroll", watch, { passive: true });
  // Pictures get their height only when loaded.
  box.addEventListener("load", () => sticky && toEnd(), true);
  new ResizeObserver(() => sticky && toEnd()).observe(box);
  box.addEventListener("focusin", (event) => makeCurrent(box, messageOf(event.target)));
  box.addEventListener("keydown", (event) => onKey(event, box, thread, parts));
  newer.addEventListener("click", () => {
    toEnd();
    current(box)?.focus();
  });
  thread.onChange(render);
  outbox.onChange(() => {
    sticky = true;
    render();
  });
  return { focus: () => current(box)?.focus(), refresh: render };
}

const belongs = (message: Message, before: Message | undefined): boolean =>
  before !== undefined &&
  before.type !== "system" &&
  before.from?.id === message.from?.id &&
  before.scope === message.scope &&
  message.time - before.time < TOGETHER_MS &&
  dayOf(before.time) === dayOf(message.time);

function drawWaiting(words: string, isNote: boolean): HTMLElement {
  const scope = isNote ? "private" : "public";
  const meta = el("div", { class: "meta" }, el("span", { class: "tick" }, icon(icons.clock), "Sending"));
  const text = el("div", { class: "text", dir: "auto" }, words);
  const bubble = el("div", { class: "bubble" }, text, meta);
  return el(
    "article",
    { class: "message", "data-from": "user", "data-status": "sending", "data-scope": scope },
    bubble,
  );
}

/** Remembers the first visible message and restores its position. */
function anchorIn(box: HTMLElement): { restore(): void } | undefined {
  const top = box.getBoundingClientRect().top;
  const first = [...box.querySelectorAll(".message")].find((element) => element.getBoundingClientRect().bottom > top);
  if (!first) return undefined;
  const before = first.getBoundingClientRect().top;
  return {
    restore() {
      box.scrollTop += first.getBoundingClientRect().top - before;
    },
  };
}

const messageOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>("[data-message]") : null;
const current = (box: HTMLElement): HTMLElement | null =>
  box.querySelector<HTMLElement>("[data-message][tabindex='0']");

/** Roving tab stop: the focused message, else the last. */
function makeCurrent(box: HTMLElement, wanted: HTMLElement | null): void {
  const before = current(box);
  if (!wanted || wanted === before) return;
  for (const [element, tabIndex] of [
    [before, -1],
    [wanted, 0],
  ] as const) {
    if (!element) continue;
    element.tabIndex = tabIndex;
    updateTabStops(element);
  }
}

function settleCurrent(box: HTMLElement): void {
  if (box.contains(document.activeElement)) return;
  const all = box.querySelectorAll<HTMLElement>("[data-message]");
  makeCurrent(box, all[all.length - 1] ?? null);
}

function onKey(event: KeyboardEvent, box: HTMLElement, thread: Thread, { key }: LogParts): void {
  const from = messageOf(event.target);
  const message = from && thread.get(Number(from.dataset.message));
  if (!from || !message || event.altKey || event.ctrlKey || event.metaKey) return;
  const all = [...box.querySelectorAll<HTMLElement>("[data-message]")];
  const n = all.indexOf(from);
  const steps: Record<string, number> = { ArrowUp: n - 1, ArrowDown: n + 1, Home: 0, End: all.length - 1 };
  const step = steps[event.key];
  if (step === undefined || event.target instanceof HTMLMediaElement) {
    key(event, message);
    return;
  }
  event.preventDefault();
  const next = all[step];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}
