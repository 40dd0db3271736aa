import { at } from "gangway-messenger/kit/emulator/browser/dom";
import { openHelp } from "./help.ts";

export interface KeysParts {
  step(by: number): void;
  toList(): void;
  toMessages(): void;
  toReply(): void;
  toggleDetails(): void;
  toggleCustomer(): void;
  isOpen(): boolean;
}

const INPUTS = "input, textarea, select, [contenteditable]";

/** Keyboard shortcuts; disabled while a modal is open. */
export function listenToKeys(parts: KeysParts): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open], [popover]:popover-open"))
      return;
    const target = event.target instanceof Element ? event.target : document.body;
    const run = keyOf(event, target, parts);
    if (!run) return;
    event.preventDefault();
    run();
  });
}

function keyOf(event: KeyboardEvent, target: Element, parts: KeysParts): (() => void) | undefined {
  if (event.ctrlKey || event.metaKey) return undefined;
  if (event.altKey) return altKeyOf(event, parts);
  if (event.key === "Escape") return escapeFrom(target, parts);
  if (target.matches(INPUTS)) return undefined;
  if (event.key === "/") return () => at("search").focus();
  return event.key === "?" ? openHelp : undefined;
}

function altKeyOf({ key, code }: KeyboardEvent, parts: KeysParts): (() => void) | undefined {
  if (key === "ArrowUp" || key === "ArrowDown") return () => parts.step(key === "ArrowUp" ? -1 : 1);
  // With Alt some layouts type another character; use the physical key.
  if (code === "KeyM") return parts.toMessages;
  if (code === "KeyC") return parts.toggleCustomer;
  return code === "KeyI" ? parts.toggleDetails : undefined;
}

/** One step back: clears the search, goes from a message to the reply, from the reply to the list. */
function escapeFrom(target: Element, parts: KeysParts): () => void {
  if (target instanceof HTMLInputElement && target.id === "search" && target.value)
    return () => {
      target.value = "";
      target.dispatchEvent(new Event("input"));
    };
  if (target.closest("#details")) return parts.toggleDetails;
  if (target.closest("#crm")) return parts.toggleCustomer;
  return target.closest("#messages") && parts.isOpen() ? parts.toReply : parts.toList;
}
