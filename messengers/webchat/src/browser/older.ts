import type { Chat } from "./chat.ts";
import { button, el, relabel } from "./dom.ts";
import { fill, strings } from "./strings/strings.ts";

export interface Older {
  element: HTMLElement;
  /** Announcement for screen readers. */
  status: HTMLElement;
  draw(): void;
  /** Resolves with false if there is nothing older, or loading failed. */
  read(): Promise<boolean>;
  /** Call when the visitor scrolls near the oldest message. */
  approach(): void;
}

/** How long screen readers may take to notice a change, ms. */
const READ_OUT_MS = 1_000;

/** Loads older messages by a button, or when the visitor scrolls up. */
export function createOlder(chat: Chat, log: HTMLElement, begin: () => void): Older {
  let state: "idle" | "busy" | "failed" = "idle";
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const status = el("div", { class: "sr", role: "status" });
  const element = button({ class: "older", "data-part": "older" }, strings.older, () => {
    begin();
    void read();
  });
  const draw = () => {
    element.hidden = !chat.hasOlder();
    const label = { idle: strings.older, busy: strings.readingBack, failed: strings.notRead }[state];
    element.textContent = label;
    relabel(element, label);
  };
  const read = async () => {
    if (!chat.hasOlder()) return false;
    state = "busy";
    draw();
    // Screen readers must not announce old messages as new.
    clearTimeout(quiet);
    log.setAttribute("aria-live", "off");
    const isFocused = element.matches(":focus");
    const count = await chat.readBack().catch(() => undefined);
    state = count === undefined ? "failed" : "idle";
    draw();
    status.textContent = count === undefined ? strings.notRead : fill(strings.olderShown, { count });
    if (isFocused && element.hidden) log.focus();
    quiet = setTimeout(() => log.setAttribute("aria-live", "polite"), READ_OUT_MS);
    return count !== undefined;
  };
  const approach = () => {
    // Focus alone must not trigger anything (WCAG 3.2.1).
    if (state === "idle" && !element.matches(":focus")) void read();
  };
  return { element, status, draw, read, approach };
}
