import { keepContact } from "./contact-store.ts";
import { type Child, el } from "./dom.ts";
import type { Look } from "./look.ts";
import type { Contact } from "./protocol.ts";
import type { Shell } from "./shell.ts";
import { strings } from "./strings/strings.ts";

const INPUTS = {
  name: { type: "text", autocomplete: "name", maxlength: "100" },
  email: { type: "email", autocomplete: "email", maxlength: "254" },
  phone: { type: "tel", autocomplete: "tel", maxlength: "40" },
} as const;

export interface FirstForm {
  element: HTMLElement;
  /** Whether it prevents the first message. */
  draw(isFirst: boolean): boolean;
  focus(): void;
}

/** The form before the first message: name, e-mail, phone, consent. */
export function createFirstForm(shell: Shell, begun: () => void): FirstForm {
  const element = el("form", { class: "first", hidden: true, "data-part": "first" });
  let drawn = "";
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const contact: Contact = {};
    for (const input of element.querySelectorAll("input"))
      if (input.name !== "consent") contact[input.name as keyof Contact] = input.value.trim();
    keepContact(shell.memory, contact);
    shell.memory.set("began", String(Date.now()));
    begun();
  });
  const fields = ({ asks, consent }: Look): Child[] => {
    const known = shell.user();
    const asked = asks.filter((name) => !known?.[name]);
    if (asked.length === 0 && !consent) return [];
    return [
      ...asked.map((name) =>
        el(
          "label",
          {},
          el("span", {}, strings[name]),
          el("input", { ...INPUTS[name], name, class: "plain", required: true, dir: "auto" }),
        ),
      ),
      consent &&
        el(
          "label",
          { class: "agree" },
          el("input", { type: "checkbox", name: "consent", required: true }),
          el("span", { dir: "auto" }, consent),
        ),
      el("button", { class: "main" }, strings.begin),
    ];
  };
  return {
    element,
    draw(isFirst) {
      const look = shell.look();
      const state = JSON.stringify([look.asks, look.consent, shell.user()]);
      if (state !== drawn) {
        drawn = state;
        element.replaceChildren(...fields(look).filter((field): field is Node | string => Boolean(field)));
      }
      const stands = isFirst && element.childElementCount > 0 && !shell.memory.get("began");
      element.hidden = !stands;
      return stands;
    },
    focus: () => element.querySelector<HTMLElement>("input, button")?.focus(),
  };
}
