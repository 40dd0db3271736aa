import { el } from "./dom.ts";
import type { MessageEntry } from "./protocol.ts";
import { webAddress } from "./web-address.ts";

type Author = NonNullable<MessageEntry["author"]>;

/** Backgrounds of initials, on which dark ink is readable. */
const TINTS = 5;

/** Puts the picture over its placeholder once it has loaded: the page's CSP may block it. */
export function withPicture(element: HTMLElement, address: string | undefined): HTMLElement {
  const src = webAddress(address);
  if (!src) return element;
  const picture = el("img", { alt: "", referrerpolicy: "no-referrer" });
  picture.onload = () => element.append(picture);
  picture.src = src;
  return element;
}

/** A person's picture, or their initial. */
export function face({ name, avatar }: Pick<Author, "name" | "avatar">): HTMLElement {
  const [initial = ""] = name.trim();
  const tint = [...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % TINTS;
  const element = el("span", { class: `face tint-${tint}`, "aria-hidden": "true" }, initial.toUpperCase());
  return withPicture(element, avatar);
}
