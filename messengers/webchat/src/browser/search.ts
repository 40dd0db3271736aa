import type { Chat } from "./chat.ts";
import { button, el, icon } from "./dom.ts";
import type { ShownMessage } from "./history.ts";
import { icons } from "./icons.ts";
import { fill, strings } from "./strings/strings.ts";
import { readAll } from "./transcript.ts";

/** Delay after the last key, ms. */
const REST_MS = 200;

/** Searches the whole chat. `show` scrolls to a message. */
export function createSearch(chat: Chat, show: (id: string | undefined) => void) {
  const input = el("input", {
    ...{ class: "plain", type: "search", "aria-label": strings.search, placeholder: strings.search },
    ...{ dir: "auto", maxlength: "200", "data-part": "search" },
  });
  const count = el("span", { class: "search-count", role: "status" });
  let [found, at]: [string[], number] = [[], 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const go = (to: number) => {
    at = found.length > 0 ? (to + found.length) % found.length : 0;
    const text = found.length > 0 ? fill(strings.found, { at: at + 1, count: found.length }) : strings.nothing;
    count.textContent = input.value.trim() ? text : "";
    for (const part of [up, down]) part.disabled = found.length < 2;
    show(found[at]);
  };
  const look = async () => {
    const words = input.value.trim().toLocaleLowerCase();
    if (words) await readAll(chat).catch(() => {});
    // Newest first.
    found = words
      ? chat
          .messages()
          .filter(holds(words))
          .map(({ id }) => id)
          .reverse()
      : [];
    go(0);
  };
  const up = button({ class: "icon" }, strings.previous, () => go(at + 1), icon(icons.up));
  const down = button({ class: "icon" }, strings.next, () => go(at - 1), icon(icons.down));
  const leave = button({ class: "icon" }, strings.leave, () => close(), icon(icons.close));
  const element = el("div", { class: "search", role: "search", hidden: true }, input, count, up, down, leave);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), REST_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(event.shiftKey ? at - 1 : at + 1);
  });
  const close = (): boolean => {
    if (element.hidden) return false;
    element.hidden = true;
    input.value = "";
    found = [];
    go(0);
    return true;
  };
  const open = () => {
    element.hidden = false;
    go(0);
    input.focus();
  };
  return { element, open, close };
}

const holds = (words: string) => (message: ShownMessage) =>
  !message.deleted &&
  [message.text, ...message.files.map(({ name }) => name)].some((text) => text?.toLocaleLowerCase().includes(words));
