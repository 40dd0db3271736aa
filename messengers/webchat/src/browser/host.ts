import { inkOn, readableOn } from "./colour.ts";
import { el } from "./dom.ts";
import { PAPER, style } from "./style.ts";

export interface Host {
  element: HTMLElement;
  /** Holds the whole widget. The page's CSS reaches the host element, but not this one. */
  root: HTMLElement;
  paint(accent: string): void;
}

/** Our custom element on the shop's page. Its styles stay inside, and work under any Content-Security-Policy. */
export function createHost(language: string | undefined): Host {
  const element = document.createElement("gangway-chat");
  const shadow = element.attachShadow({ mode: "open" });
  adopt(shadow);
  const root = el("div", { class: "root", lang: language });
  shadow.append(root);
  const paint = (accent: string) => {
    if (!/^#[0-9a-f]{6}$/i.test(accent)) return;
    const colours = {
      "--accent": accent,
      "--accent-ink": inkOn(accent),
      "--accent-on-light": readableOn(accent, PAPER.light),
      "--accent-on-dark": readableOn(accent, PAPER.dark),
    };
    for (const [name, value] of Object.entries(colours)) root.style.setProperty(name, value);
    root.classList.toggle("dark-ink", inkOn(accent) !== "#ffffff");
  };
  return { element, root, paint };
}

/** Browsers before 2023 lack constructable stylesheets; there a CSP may block the style element. */
function adopt(shadow: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    shadow.adoptedStyleSheets = [sheet];
  } catch {
    shadow.append(el("style", {}, style));
  }
}
