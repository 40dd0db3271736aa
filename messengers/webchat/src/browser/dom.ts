type Attributes = Record<string, string | boolean | undefined>;
export type Child = Node | string | false | undefined | "";

/** Creates an element. Strings become text nodes, never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child): child is Node | string => Boolean(child)));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";
export function icon(path: string): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

/** The text, with its URLs as links. */
export function linked(text: string): (Node | string)[] {
  return text
    .split(/(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/gi)
    .map((piece, n) =>
      n % 2 === 1 ? el("a", { href: piece, target: "_blank", rel: "noopener noreferrer nofollow" }, piece) : piece,
    );
}

export const button = (attributes: Attributes, label: string, onClick: () => void, ...children: Child[]) => {
  const element = el("button", { type: "button", "aria-label": label, title: label, ...attributes }, ...children);
  element.addEventListener("click", onClick);
  return element;
};

/** Sets aria-label and tooltip. */
export function relabel(element: HTMLElement, label: string): void {
  element.setAttribute("aria-label", label);
  element.title = label;
}
