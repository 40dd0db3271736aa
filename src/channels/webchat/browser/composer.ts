import { type Attachments, createAttachments } from "./attachments.ts";
import type { Chat } from "./chat.ts";
import { button, el, icon, relabel } from "./dom.ts";
import { createEmoji } from "./emoji.ts";
import type { Shown } from "./history.ts";
import { icons } from "./icons.ts";
import type { Draft, Suggestion } from "./protocol.ts";
import { words } from "./strings.ts";

export interface Composer {
  element: HTMLElement;
  focus(): void;
  attach(files: File[]): void;
  quote(message: Shown): void;
  /** Asks for a phone number or an e-mail address in place of a text. */
  ask(suggestion: Suggestion): void;
  /** Closes what is open above the input; false when nothing was. */
  escape(): boolean;
  /** Disabled, it keeps what is typed and attached. */
  enable(enabled: boolean): void;
}

type Asked = Draft["answers"];

/** Where the visitor writes. */
export function createComposer(chat: Chat): Composer {
  const problem = el("p", { class: "problem", role: "alert" });
  const tell = (text: string) => {
    problem.textContent = text;
  };
  const input = createInput();
  let quoted: Shown | undefined;
  let asked: Asked;
  // Sent as soon as the files that are still on their way have arrived.
  let waiting = false;
  const about = el("div", { class: "extra", hidden: true });
  const send = button({ class: "send", "data-part": "send" }, words.send, () => say(), icon(icons.send));
  const attachments = createAttachments(chat, tell, () => {
    if (waiting && !attachments.busy()) say();
    drawSend();
  });
  const drawSend = () => {
    const empty = !input.element.value.trim() && attachments.count() === 0;
    send.classList.toggle("idle", empty);
    send.classList.toggle("waiting", waiting);
  };
  const drawAbout = () => {
    const text = quoted && `${words.quoting}: ${quoted.text || quoted.files[0]?.name || ""}`;
    const chips = [
      text && aboutChip(text, words.noQuote, () => setQuote(undefined)),
      asked && aboutChip(words[asked], words.noAsk, () => setAsked(undefined)),
    ];
    about.replaceChildren(...chips.filter((chip): chip is HTMLElement => Boolean(chip)));
    about.hidden = about.childElementCount === 0;
  };
  const setQuote = (message: Shown | undefined) => {
    quoted = message;
    drawAbout();
    input.element.focus();
  };
  const setAsked = (type: Asked) => {
    asked = type;
    input.expect(type);
    drawAbout();
    input.element.focus();
  };
  const say = () => {
    waiting = attachments.busy() && !element.disabled;
    if (waiting || element.disabled) return drawSend();
    const text = input.element.value;
    const most = chat.opened()?.limits.text ?? 4096;
    if ([...text].length > most) return tell(words.tooLong(most));
    const files = attachments.take();
    if (!text.trim() && files.length === 0) return;
    const quote = quoted && { id: quoted.id, text: quoted.text };
    chat.say(text.trim() ? text : "", files, { quote, answers: asked });
    input.clear();
    tell("");
    setQuote(undefined);
    if (asked) setAsked(undefined);
    drawSend();
  };
  const emojis = createEmoji((emoji) => {
    input.insert(emoji);
    toggleEmojis();
    drawSend();
  });
  const toggleEmojis = () => {
    emojis.hidden = !emojis.hidden;
    smile.setAttribute("aria-expanded", String(!emojis.hidden));
  };
  const smile = button({ class: "icon", "aria-expanded": "false" }, words.emoji, toggleEmojis, icon(icons.smile));
  const picker = createPicker(attachments);
  const attach = button({ class: "icon", "data-part": "attach" }, words.attach, () => picker.click(), icon(icons.clip));
  const field = el("div", { class: "field" }, attach, picker, input.element, smile);
  const element = el(
    "fieldset",
    { class: "foot" },
    about,
    attachments.element,
    problem,
    emojis,
    el("div", { class: "row" }, field, send),
  );
  input.element.addEventListener("input", drawSend);
  input.element.addEventListener("keydown", (event) => {
    // 229 is a key that an input method has taken, where `isComposing` does not say so.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    say();
  });
  input.element.addEventListener("paste", (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0) return;
    event.preventDefault();
    attachments.add(pasted);
  });
  drawSend();
  return {
    element,
    focus: () => input.element.focus(),
    attach: (files) => !element.disabled && attachments.add(files),
    quote: (message) => !element.disabled && setQuote(message),
    ask: ({ type }) => setAsked(type === "phone" || type === "email" ? type : undefined),
    escape() {
      if (emojis.hidden && !quoted && !asked) return false;
      if (!emojis.hidden) toggleEmojis();
      else if (quoted) setQuote(undefined);
      else setAsked(undefined);
      input.element.focus();
      return true;
    },
    enable(enabled) {
      element.disabled = !enabled;
    },
  };
}

const aboutChip = (text: string, label: string, drop: () => void) =>
  el(
    "span",
    { class: "chip about" },
    el("span", { class: "chip-name", dir: "auto" }, text),
    button({ class: "drop" }, label, drop, icon(icons.close)),
  );

/** Tallest the input grows before it scrolls, pixels. */
const TALLEST = 132;

function createInput() {
  const element = el("textarea", {
    class: "input",
    "data-part": "input",
    rows: "1",
    dir: "auto",
    enterkeyhint: "send",
    placeholder: words.placeholder,
    "aria-label": words.placeholder,
  });
  const grow = () => {
    element.style.height = "auto";
    element.style.height = `${Math.min(TALLEST, element.scrollHeight)}px`;
  };
  element.addEventListener("input", grow);
  return {
    element,
    clear() {
      element.value = "";
      grow();
    },
    insert(text: string) {
      element.setRangeText(text, element.selectionStart, element.selectionEnd, "end");
      grow();
      element.focus();
    },
    expect(type: Asked) {
      const label = type ? words[type] : words.placeholder;
      element.inputMode = type === "phone" ? "tel" : type === "email" ? "email" : "";
      element.setAttribute("autocomplete", type === "phone" ? "tel" : type === "email" ? "email" : "off");
      element.placeholder = label;
      relabel(element, label);
    },
  };
}

function createPicker(attachments: Attachments) {
  const hidden = { class: "sr", tabindex: "-1", "aria-hidden": "true" };
  const picker = el("input", { ...hidden, type: "file", multiple: true, "data-part": "file" });
  picker.addEventListener("change", () => {
    attachments.add([...(picker.files ?? [])]);
    picker.value = "";
  });
  return picker;
}
