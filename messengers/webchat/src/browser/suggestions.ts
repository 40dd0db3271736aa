import type { Chat } from "./chat.ts";
import { button, el, icon } from "./dom.ts";
import type { ShownMessage } from "./history.ts";
import { icons } from "./icons.ts";
import type { Suggestion } from "./protocol.ts";
import { webAddress } from "./web-address.ts";

export interface Suggestions {
  element: HTMLElement;
  draw(newest: ShownMessage | undefined): void;
  /** Asks the visitor to type the answer. */
  ask(suggestion: Suggestion): void;
}

const addressOf = (suggestion: Suggestion) => webAddress(suggestion.payload) ?? webAddress(suggestion.title);

/** Buttons under the newest message, if it is an agent's. The payload stays hidden. */
export function createSuggestions(chat: Chat, ask: Suggestions["ask"]): Omit<Suggestions, "ask"> {
  const element = el("div", { class: "suggestions", hidden: true });
  let state = "";
  const act = (suggestion: Suggestion) => {
    if (suggestion.type === "url") window.open(addressOf(suggestion), "_blank", "noopener,noreferrer");
    else if (suggestion.type === "text") chat.say(suggestion.title, []);
    else ask(suggestion);
  };
  const draw = (newest: ShownMessage | undefined) => {
    const all = newest?.from === "agent" && !newest.deleted ? (newest.suggestions ?? []) : [];
    const offered = all.filter((suggestion) => suggestion.type !== "url" || addressOf(suggestion));
    const now = JSON.stringify([newest?.id, offered]);
    if (state === now) return;
    state = now;
    element.hidden = offered.length === 0;
    element.replaceChildren(
      ...offered.map((suggestion) => {
        const { type, title } = suggestion;
        return button(
          { "data-suggestion": type, dir: "auto" },
          title,
          () => act(suggestion),
          title,
          type === "url" && icon(icons.link),
        );
      }),
    );
  };
  return { element, draw };
}
