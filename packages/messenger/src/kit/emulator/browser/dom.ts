export type Child = Node | string | false | undefined | "";
export type Attributes = Record<string, string | number | boolean | undefined>;

/** An element; strings become text nodes, never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...present(children));
  return element;
}

export const present = (children: Child[]) => children.filter((child): child is Node | string => Boolean(child));

/** An element of the served page. Throws when it is missing. */
export function at<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

const SVG = "http://www.w3.org/2000/svg";
export function icon(path: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export function button(attributes: Attributes, run: () => void, ...children: Child[]): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", run);
  return made;
}

/** An icon button; the label doubles as tooltip. */
export const iconButton = (path: string, label: string, run: () => void, attributes: Attributes = {}) =>
  button({ class: "icon", "aria-label": label, title: label, ...attributes }, run, icon(path));

/** A term of a `dl`; omitted if it has no text. */
export const row = (term: string, words: Child): Child[] => (words ? [el("dt", {}, term), el("dd", {}, words)] : []);

const ADDRESS = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/gi;

export const webAddress = (text: string | undefined): string | undefined =>
  text && /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? text : undefined;

/** Text with clickable URLs. */
export const linked = (text: string): Node[] =>
  text
    .split(ADDRESS)
    .map((piece, n) =>
      n % 2 === 1
        ? el("a", { href: piece, target: "_blank", rel: "noopener noreferrer nofollow" }, piece)
        : document.createTextNode(piece),
    );

/** Orders the children, moving only misplaced ones. */
export function arrange(parent: HTMLElement, wanted: readonly HTMLElement[]): void {
  const keep = new Set<Element>(wanted);
  for (const child of [...parent.children]) if (!keep.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const element of wanted) {
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
  }
}
