import { button, el, icon, relabel } from "../dom.ts";
import { chatIcon, downIcon } from "../icons.ts";
import type { Launcher } from "../shell.ts";

/** Beyond this the badge shows `99+`. */
const MAX_COUNT = 99;

/** The button in the corner; its texts are read each time it is drawn. `near`: a click is likely. */
export function createLauncher(
  toggle: () => void,
  near: () => void,
  texts: () => { open: string; close: string; unread: string; words: string },
): Launcher {
  const count = el("span", { class: "count", "data-part": "count", hidden: true });
  const signs = el("span", { class: "signs" }, icon(chatIcon), icon(downIcon));
  const words = el("span", { class: "words", dir: "auto" });
  const about = { class: "launcher", "data-part": "launcher", "aria-expanded": "false" };
  const element = button(about, texts().open, toggle, signs, words, count);
  for (const sign of ["pointerenter", "focus"]) element.addEventListener(sign, near);
  const draw = (open: boolean, unread: number) => {
    const { words: beside, ...labels } = texts();
    if (words.textContent !== beside) words.textContent = beside;
    count.hidden = unread === 0;
    count.textContent = unread > MAX_COUNT ? `${MAX_COUNT}+` : String(unread);
    element.setAttribute("aria-expanded", String(open));
    const isUnread = unread > 0 ? `, ${labels.unread.replace("{count}", String(unread))}` : "";
    // The visible text is part of the name (WCAG 2.5.3).
    relabel(element, open ? labels.close : `${beside ? `${beside}, ` : ""}${labels.open}${isUnread}`);
  };
  return { element, draw };
}
