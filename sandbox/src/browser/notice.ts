import { at, el, iconButton } from "gangway-messenger/kit/emulator/browser/dom";
import { ApiError } from "./api.ts";
import { icons } from "./icons.ts";

export interface Notice {
  /** Shows an error; undefined clears it. */
  problem(error: unknown): void;
  /** Announces to screen readers. */
  announce(text: string): void;
}

export function wordsOfError(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  if (error.status === 0) return `${error.message} What you wrote is kept: try again.`;
  if (error.status === 401) return "This agent may not work here any more. Choose another one.";
  if (error.status === 429) return "The gateway asks for a pause. Try again in a moment.";
  return error.message;
}

export function createNotice(): Notice {
  const box = at("problem");
  const hide = () => {
    box.hidden = true;
    box.replaceChildren();
  };
  return {
    problem(error) {
      if (error === undefined) return hide();
      const close = iconButton(icons.close, "Dismiss", hide);
      box.hidden = false;
      box.replaceChildren(el("span", {}, wordsOfError(error)), close);
    },
    announce(text) {
      at("news").textContent = text;
    },
  };
}
