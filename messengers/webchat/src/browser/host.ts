import { inkOn, readableOn } from "./colour.ts";
import { el } from "./dom.ts";
import { PAPER, style } from "./loader/style.ts";
import type { Look } from "./look.ts";

export interface Host {
  element: HTMLElement;
  /** Holds the whole widget. The page's CSS reaches the host element, but not this one. */
  root: HTMLElement;
  /** Adds styles. */
  adopt(css: string): void;
  speak(language: string, locale: string): void;
  paint(look: Look): void;
}

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)/;

/** Our custom element on the shop's page. Its styles stay inside, and work under any Content-Security-Policy. */
export function createHost(): Host {
  const element = document.createElement("gangway-chat");
  const shadow = element.attachShadow({ mode: "open" });
  const root = el("div", { class: "root" });
  const adopt = (css: string) => adoptIn(shadow, css);
  adopt(style);
  shadow.append(root);
  const speak = (language: string, locale: string) => {
    root.lang = locale;
    root.dir = RIGHT_TO_LEFT.test(language) ? "rtl" : "ltr";
  };
  const paint = ({ accent, offset: [x, y], side, scheme }: Look) => {
    const known = /^#[0-9a-f]{6}$/i.test(accent) ? accent : "#0f5f6b";
    const onDark = readableOn(known, PAPER.dark);
    const values = {
      "--accent-light": known,
      "--ink-light": inkOn(known),
      "--accent-dark": onDark,
      "--ink-dark": inkOn(onDark),
      "--accent-on-light": readableOn(known, PAPER.light),
      "--x": `${x}px`,
      "--y": `${y}px`,
    };
    for (const [name, value] of Object.entries(values)) root.style.setProperty(name, value);
    root.classList.toggle("left", side === "left");
    root.dataset.scheme = /^(light|dark)$/.test(scheme) ? scheme : "auto";
  };
  return { element, root, adopt, speak, paint };
}

/** Browsers before 2023 lack constructable stylesheets; there a CSP may block the style element. */
function adoptIn(shadow: ShadowRoot, css: string): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  } catch {
    shadow.append(el("style", {}, css));
  }
}
