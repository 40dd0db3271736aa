import { el } from "gangway-messenger/kit/emulator/browser/dom";

/** Typing pauses before a search, ms. */
const TYPING_MS = 200;

export interface SearchParts<T> {
  label: string;
  find(text: string): Promise<T[]>;
  choice(found: T): HTMLElement;
  problem(error: unknown): void;
}
export interface Search {
  input: HTMLInputElement;
  list: HTMLElement;
  /** Searches for what is typed so far. */
  run(): void;
}

/** A search field and what it finds; a later search supersedes an earlier one. */
export function searching<T>({ label, find, choice, problem }: SearchParts<T>): Search {
  const input = el("input", { type: "search", placeholder: "Search", "aria-label": label, autocomplete: "off" });
  const list = el("div", { class: "choices" }, el("p", { class: "soft" }, "Loading …"));
  let searches = 0;
  let typing: ReturnType<typeof setTimeout> | undefined;
  const run = async () => {
    const mine = ++searches;
    try {
      const found = await find(input.value.trim());
      if (mine !== searches) return;
      const nothing = el("p", { class: "soft" }, "Nothing found.");
      list.replaceChildren(...(found.length > 0 ? found.map(choice) : [nothing]));
    } catch (error) {
      if (mine === searches) problem(error);
    }
  };
  input.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(run, TYPING_MS);
  });
  return { input, list, run: () => void run() };
}
