import { type Child, present } from "gangway-messenger/kit/emulator/browser/dom";

const keys = new WeakMap<HTMLElement, string>();

/** Re-renders a part only when its data changed; focus stays on the same control, or near it. */
export function fill(part: HTMLElement | undefined, about: unknown, make: () => Child[]): void {
  const key = JSON.stringify(about) ?? "";
  if (!part || keys.get(part) === key) return;
  keys.set(part, key);
  const focused = part.contains(document.activeElement)
    ? document.activeElement?.getAttribute("data-action")
    : undefined;
  part.replaceChildren(...present(make()));
  if (!focused) return;
  const again = part.querySelector<HTMLElement>(`[data-action="${CSS.escape(focused)}"]`);
  const beside = again ?? part.querySelector<HTMLElement>("button:not(:disabled)");
  (beside ?? part.closest<HTMLElement>("[tabindex]"))?.focus({ preventScroll: true });
}
