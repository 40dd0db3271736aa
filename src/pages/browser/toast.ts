// Turns the notice of what was done into a floating toast. Without this script it is an alert at the top of the page.

/** How long a toast stays, ms; longer if it offers an undo. */
const [STAYS_MS, UNDO_MS] = [7_000, 20_000];
const FADE_MS = 140;
/** Delay, ms, after which screen readers announce changes to a loaded page. */
const SAID_AFTER_MS = 300;

function leave(toast: HTMLElement): void {
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : FADE_MS;
  void toast.animate([{ opacity: 1 }, { opacity: 0 }], { duration }).finished.then(() => toast.remove());
}

for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
  // Without support for `@media (scripting)` the notice stays at the top.
  if (getComputedStyle(toast).position !== "fixed") continue;
  const said = toast.querySelector("[role=status]");
  setTimeout(() => said?.replaceChildren(...said.childNodes), SAID_AFTER_MS);
  const stays = toast.querySelector("button") ? UNDO_MS : STAYS_MS;
  const wait = () =>
    setTimeout(() => (toast.matches(":hover, :focus-within") || document.hidden ? wait() : leave(toast)), stays);
  wait();
}
