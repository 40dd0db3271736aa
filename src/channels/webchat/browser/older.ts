import type { Chat } from "./chat.ts";
import { button, el, relabel } from "./dom.ts";
import { words } from "./strings.ts";

export interface Older {
  element: HTMLElement;
  /** What a screen reader says of it, once. */
  status: HTMLElement;
  draw(): void;
  /** Resolves with whether anything has come. */
  read(): Promise<boolean>;
  /** The visitor comes near the first message that is there. */
  approach(): void;
}

/** So long after a change a screen reader may still read it out, ms. */
const READ_OUT_MS = 1_000;

/** The way to what stands further back: by a button, and by itself for who scrolls up. */
export function createOlder(chat: Chat, log: HTMLElement, begin: () => void): Older {
  let state: "idle" | "busy" | "failed" = "idle";
  let quiet: ReturnType<typeof setTimeout> | undefined;
  const status = el("div", { class: "sr", role: "status" });
  const element = button({ class: "older", "data-part": "older" }, words.older, () => {
    begin();
    void read();
  });
  const draw = () => {
    element.hidden = !chat.hasOlder();
    const said = { idle: words.older, busy: words.readingBack, failed: words.notRead }[state];
    element.textContent = said;
    relabel(element, said);
  };
  const read = async () => {
    if (!chat.hasOlder()) return false;
    state = "busy";
    draw();
    // The log tells what is new; what is old is not read out whole.
    clearTimeout(quiet);
    log.setAttribute("aria-live", "off");
    const isFocused = element.matches(":focus");
    const count = await chat.readBack().catch(() => undefined);
    state = count === undefined ? "failed" : "idle";
    draw();
    status.textContent = count === undefined ? words.notRead : words.olderShown(count);
    if (isFocused && element.hidden) log.focus();
    quiet = setTimeout(() => log.setAttribute("aria-live", "polite"), READ_OUT_MS);
    return count !== undefined;
  };
  const approach = () => {
    // Whoever comes to the button by keyboard presses it.
    if (state === "idle" && !element.matches(":focus")) void read();
  };
  return { element, status, draw, read, approach };
}
