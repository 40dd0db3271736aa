import type { Look } from "../look.ts";

/** Whether the rules greet on this page: by path, with `*` at the end, and by kind of visitor. */
export function greets({ greetAfter, greetPages, greetWhom }: Look, path: string, returning: boolean): boolean {
  if (greetAfter <= 0 || (greetWhom === "new" && returning) || (greetWhom === "returning" && !returning)) return false;
  if (greetPages.length === 0) return true;
  return greetPages.some((page) => (page.endsWith("*") ? path.startsWith(page.slice(0, -1)) : path === page));
}

interface GreeterParts {
  look(): Look;
  isKnown(): boolean;
  /** A greeted visitor is not greeted again, and nobody while the chat is open. */
  isOver(): boolean;
  greet(): void;
}

/** Greets as the rules say, some seconds after each page begins. */
export function createGreeter({ look, isKnown, isOver, greet }: GreeterParts) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const moved = () => {
    stop();
    if (isOver() || !greets(look(), location.pathname, isKnown())) return;
    timer = setTimeout(greet, look().greetAfter * 1_000);
  };
  return { moved, stop };
}

/** How often the URL is checked, ms: pages that change it by script announce nothing. */
const LOOK_MS = 1_000;

/** Calls `moved` after each change of the page's URL without a new page. */
export function watchAddress(moved: () => void): void {
  let last = location.href;
  const look = () => {
    if (location.href === last) return;
    last = location.href;
    moved();
  };
  window.addEventListener("popstate", look);
  setInterval(look, LOOK_MS);
}
