// Lets what was done float and go. Without this script it is an alert at the top of the page.

/** How long it stays, ms: longer where it can be undone. */
const [STAYS_MS, UNDO_MS] = [7_000, 20_000];
const FADE_MS = 140;
/** A screen reader hears what changes once it has read the page, ms. */
const SAID_AFTER_MS = 300;

function leave(toast: HTMLElement): void {
  const duration = matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : FADE_MS;
  void toast.animate([{ opacity: 1 }, { opacity: 0 }], { duration }).finished.then(() => toast.remove());
}

for (const toast of document.querySelectorAll<HTMLElement>("[data-toast]")) {
  // A browser that cannot tell a style sheet of scripts shows it at the top, where it stays.
  if (getComputedStyle(toast).position !== "fixed") continue;
  const said = toast.querySelector("[role=status]");
  setTimeout(() => said?.replaceChildren(...said.childNodes), SAID_AFTER_MS);
  const stays = toast.querySelector("button") ? UNDO_MS : STAYS_MS;
  const wait = () =>
    setTimeout(() => (toast.matches(":hover, :focus-within") || document.hidden ? wait() : leave(toast)), stays);
  wait();
}
