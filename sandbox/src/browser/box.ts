import { type Child, el, iconButton, present } from "gangway-messenger/kit/emulator/browser/dom";
import { icons } from "./icons.ts";

export interface Box {
  element: HTMLDialogElement;
  body: HTMLElement;
  /** Shows an error; an empty text clears it. */
  problem(text: string): void;
  close(): void;
}

/** A modal; closes by its button, by Escape and by a click on the backdrop. */
export function openBox(title: string, ...content: Child[]): Box {
  const heading = el("h2", { id: "box-title" }, title);
  const alert = el("p", { role: "alert", class: "box-problem" });
  const body = el("div", { class: "box-body" }, ...present(content));
  const element = el("dialog", { class: "box", "aria-labelledby": "box-title" });
  const head = el(
    "div",
    { class: "box-head" },
    heading,
    iconButton(icons.close, "Close", () => element.close()),
  );
  element.append(head, alert, body);
  element.addEventListener("close", () => element.remove());
  element.addEventListener("mousedown", (event) => {
    if (event.target === element) element.close();
  });
  document.body.append(element);
  element.showModal();
  return {
    element,
    body,
    problem: (text) => {
      alert.textContent = text;
    },
    close: () => element.close(),
  };
}

/** A popover beside its opener; closes by Escape, by an outside click and by a choice. */
export function openPopover(opener: HTMLElement, label: string, ...content: Child[]): { close(): void } {
  const element = el("div", { class: "popover", popover: "auto", role: "group", "aria-label": label }, ...content);
  document.body.append(element);
  element.addEventListener("toggle", () => {
    if (!element.matches(":popover-open")) element.remove();
  });
  element.showPopover();
  position(element, opener.getBoundingClientRect());
  element.querySelector<HTMLElement>("button, input, select")?.focus();
  return { close: () => element.hidePopover() };
}

const GAP = 6;

function position(element: HTMLElement, by: DOMRect): void {
  const { width, height } = element.getBoundingClientRect();
  const left = Math.min(Math.max(GAP, by.left + by.width / 2 - width / 2), innerWidth - width - GAP);
  const above = by.top - height - GAP;
  const top = above > GAP ? above : Math.min(by.bottom + GAP, innerHeight - height - GAP);
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
}
