import { inkOn, readableOn } from "./colour.ts";
import { el } from "./dom.ts";
import { PAPER, style } from "./style.ts";

export interface Host {
  element: HTMLElement;
  /** Everything stands in here: the page's own rules reach the host, but not what is reset inside. */
  root: HTMLElement;
  paint(accent: string): void;
}

/** An element of our own on the shop's page; its styles stay inside, and hold under any Content-Security-Policy. */
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

/** Browsers before 2023 have no sheets of their own making; there a policy may refuse the style. */
function adopt(shadow: ShadowRoot): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style);
    shadow.adoptedStyleSheets = [sheet];
  } catch {
    shadow.append(el("style", {}, style));
  }
}
