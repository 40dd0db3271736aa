import { el } from "./dom.ts";
import type { MessageEntry } from "./protocol.ts";
import { webAddress } from "./web-address.ts";

type Author = NonNullable<MessageEntry["author"]>;

/** Backgrounds of initials, on which dark ink is readable. */
const TINTS = 5;

/** A picture of somebody, or their initial. The picture may be blocked by the page's CSP: then the initial stays. */
export function face({ name, avatar }: Pick<Author, "name" | "avatar">): HTMLElement {
  const [initial = ""] = name.trim();
  const tint = [...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % TINTS;
  const element = el("span", { class: `face tint-${tint}`, "aria-hidden": "true" }, initial.toUpperCase());
  const src = webAddress(avatar);
  if (!src) return element;
  const picture = el("img", { alt: "", referrerpolicy: "no-referrer" });
  picture.onload = () => element.append(picture);
  picture.src = src;
  return element;
}
