import { at } from "gangway-messenger/kit/emulator/browser/dom";

export interface Aside {
  isOpen(): boolean;
  show(open: boolean): void;
  /** As its button does: moves the focus into the panel. */
  flip(): void;
}
export interface AsideParts {
  panel: HTMLElement;
  opener: HTMLElement;
  /** Opened or closed by the agent; false if another panel took its place. */
  changed(open: boolean, byAgent: boolean): void;
}

/** Panels beside the conversation; one is open at a time. */
export function createAsides(): (parts: AsideParts) => Aside {
  const all: { close(): void; panel: HTMLElement }[] = [];
  return ({ panel, opener, changed }) => {
    const set = (open: boolean, byAgent: boolean) => {
      if ((panel.hidden === true) !== open) return;
      if (!open && panel.contains(document.activeElement)) opener.focus();
      if (open) for (const other of all) if (other.panel !== panel) other.close();
      panel.hidden = !open;
      at("inbox").toggleAttribute(
        "data-aside",
        all.some((each) => !each.panel.hidden),
      );
      opener.setAttribute("aria-expanded", String(open));
      changed(open, byAgent);
    };
    const aside: Aside = {
      isOpen: () => !panel.hidden,
      show: (open) => set(open, false),
      flip() {
        const open = panel.hidden === true;
        set(open, true);
        if (open) panel.querySelector("button")?.focus();
      },
    };
    all.push({ panel, close: () => set(false, false) });
    opener.addEventListener("click", aside.flip);
    return aside;
  };
}
