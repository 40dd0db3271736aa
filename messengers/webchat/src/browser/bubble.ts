import { button, el, icon } from "./dom.ts";
import { face } from "./faces.ts";
import { icons } from "./icons.ts";
import { strings } from "./strings/strings.ts";

interface Shown {
  /** Identifies the content: the same is not drawn again. */
  id: string;
  text: string;
  author?: { name: string; avatar?: string };
}

/** A text beside the launcher: the greeting, or the newest unread message. */
export function createBubble(open: () => void, dismissed: (id: string) => void) {
  const words = el("span", { class: "bubble-words" });
  const about = el("span", { class: "sr" }, `${strings.open}: `);
  const says = button({ class: "bubble-says", "data-part": "preview" }, strings.fresh, open, about, words);
  // Its text is its accessible name.
  for (const name of ["aria-label", "title"]) says.removeAttribute(name);
  const drop = button({ class: "icon bubble-drop" }, strings.dismiss, () => dismiss(), icon(icons.close));
  const element = el("div", { class: "beside", role: "status", hidden: true }, says, drop);
  let id = "";
  const dismiss = () => {
    element.hidden = true;
    dismissed(id);
  };
  return {
    element,
    show({ id: shown, text, author }: Shown) {
      if (shown === id && !element.hidden) return;
      id = shown;
      const name = author && el("b", {}, el("bdi", {}, author.name));
      const said = el("span", { class: "bubble-text", dir: "auto" }, text);
      words.replaceChildren(
        ...[author && face(author), el("span", {}, name, said)].filter((part) => part !== undefined),
      );
      element.hidden = false;
    },
    hide() {
      element.hidden = true;
    },
  };
}
