import { type Attachments, createAttachments } from "./attachments.ts";
import type { Chat } from "./chat.ts";
import { button, el, icon, relabel } from "./dom.ts";
import type { ShownMessage } from "./history.ts";
import { icons } from "./icons.ts";
import type { Memory } from "./memory.ts";
import type { Draft, Suggestion } from "./protocol.ts";
import { canRecord, createRecorder } from "./recorder.ts";
import { fill, strings } from "./strings/strings.ts";

const EMOJI = [..."😀😂😊😍😉😎🤔😢😅🙏👍👎👌👋💪🎉🔥✨✅❌⭐🎁📦🚚💳📷📞📅⏰🏠💡🙂"];

function createEmoji(choose: (emoji: string) => void): HTMLElement {
  const about = { class: "emojis", hidden: true, role: "group", "aria-label": strings.emoji };
  return el("div", about, ...EMOJI.map((emoji) => button({}, emoji, () => choose(emoji), emoji)));
}

export interface Composer {
  element: HTMLFieldSetElement;
  focus(): void;
  attach(files: File[]): void;
  /** Puts a text into the empty field. */
  put(text: string): void;
  quote(message: ShownMessage): void;
  /** Asks for a phone number or an e-mail address. */
  ask(suggestion: Suggestion): void;
  /** Closes whatever is open above the input; false if nothing is. */
  escape(): boolean;
  /** The window is hidden: discards what is being recorded. */
  leave(): void;
  /** To be called after each change of the chat. While disabled it keeps its text and files. */
  enable(enabled: boolean): void;
}

type ContactType = Draft["answers"];

/** `session` keeps what is being written. */
export function createComposer(chat: Chat, session: Memory): Composer {
  const problem = el("p", { class: "problem", role: "alert" });
  const showProblem = (text: string) => {
    problem.textContent = text;
  };
  const input = createInput();
  let quoted: ShownMessage | undefined;
  let requested: ContactType;
  let waiting = false; // To be sent once the uploads are complete.
  const about = el("div", { class: "extra", hidden: true });
  const send = button({ class: "send", "data-part": "send" }, strings.send, () => submit(), icon(icons.send));
  // A message is not sent without a file that was meant for it.
  const refused = (text: string) => {
    waiting &&= !text;
    showProblem(text);
  };
  const attachments = createAttachments(chat, refused, () => {
    if (waiting && !attachments.busy()) submit();
    drawSend();
  });
  const drawSend = () => {
    const empty = !input.element.value.trim() && attachments.count() === 0;
    send.classList.toggle("idle", empty);
    mic.hidden = !empty || !canRecord();
    send.hidden = !mic.hidden;
    send.classList.toggle("waiting", waiting);
  };
  const drawAbout = () => {
    const text = quoted && `${strings.quoting}: ${quoted.text || quoted.files[0]?.name || ""}`;
    const chips = [
      text && aboutChip(text, strings.noQuote, () => setQuote(undefined)),
      requested && aboutChip(strings[requested], strings.noAsk, () => setRequested(undefined)),
    ];
    about.replaceChildren(...chips.filter((chip): chip is HTMLElement => Boolean(chip)));
    about.hidden = about.childElementCount === 0;
  };
  const setQuote = (message: ShownMessage | undefined) => {
    quoted = message;
    drawAbout();
    input.element.focus();
  };
  const setRequested = (type: ContactType) => {
    requested = type;
    input.expect(type);
    drawAbout();
    input.element.focus();
  };
  const submit = () => {
    waiting = attachments.busy() && !element.disabled;
    if (waiting || element.disabled) return drawSend();
    const text = input.element.value;
    const max = chat.opened()?.limits.text ?? 4096;
    if ([...text].length > max) return showProblem(fill(strings.tooLong, { most: max }));
    const files = attachments.take();
    if (!text.trim() && files.length === 0) return;
    const quote = quoted && { id: quoted.id, text: quoted.text };
    chat.say(text.trim() ? text : "", files, { quote, answers: requested });
    input.clear();
    session.set("text", null);
    showProblem("");
    setQuote(undefined);
    if (requested) setRequested(undefined);
    drawSend();
  };
  const recorder = createRecorder({
    begun() {
      row.hidden = true;
    },
    done(file) {
      row.hidden = false;
      input.element.focus();
      if (!file) return;
      attachments.add([file]);
      submit();
    },
    problem: showProblem,
  });
  const startRecording = () => {
    showProblem("");
    recorder.start();
  };
  const mic = button({ class: "send", "data-part": "mic" }, strings.record, startRecording, icon(icons.mic));
  const emojis = createEmoji((emoji) => {
    input.insert(emoji);
    keep();
    toggleEmojis();
    drawSend();
  });
  const toggleEmojis = () => {
    emojis.hidden = !emojis.hidden;
    smile.setAttribute("aria-expanded", String(!emojis.hidden));
  };
  const smile = button({ class: "icon", "aria-expanded": "false" }, strings.emoji, toggleEmojis, icon(icons.smile));
  const picker = createPicker(attachments);
  const attach = button(
    { class: "icon", "data-part": "attach" },
    strings.attach,
    () => picker.click(),
    icon(icons.clip),
  );
  const field = el("div", { class: "field" }, attach, picker, input.element, smile);
  const row = el("div", { class: "row" }, field, send, mic);
  const element = el("fieldset", { class: "foot" }, about, attachments.element, problem, emojis, recorder.element, row);
  const keep = () => session.set("text", input.element.value || null);
  input.element.addEventListener("input", () => {
    drawSend();
    keep();
  });
  input.element.addEventListener("keydown", (event) => {
    // keyCode 229: an input method has consumed the key; some browsers do not set `isComposing`.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    submit();
  });
  input.element.addEventListener("paste", (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0) return;
    event.preventDefault();
    attachments.add(pasted);
  });
  const put = (text: string) => {
    if (input.element.value.trim()) return;
    input.put(text);
    keep();
    drawSend();
  };
  put(session.get("text") ?? "");
  return {
    element,
    put,
    focus: () => input.element.focus(),
    attach: (files) => !element.disabled && attachments.add(files),
    quote: (message) => !element.disabled && setQuote(message),
    ask: ({ type }) => setRequested(type === "phone" || type === "email" ? type : undefined),
    escape() {
      if (recorder.cancel()) return true;
      if (emojis.hidden && !quoted && !requested) return false;
      if (!emojis.hidden) toggleEmojis();
      else if (quoted) setQuote(undefined);
      else setRequested(undefined);
      input.element.focus();
      return true;
    },
    leave: () => void recorder.cancel(),
    enable(enabled) {
      element.disabled = !enabled;
      attachments.begin();
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

/** The input scrolls beyond this height, pixels. */
const MAX_HEIGHT = 132;

function createInput() {
  const element = el("textarea", {
    class: "input",
    "data-part": "input",
    rows: "1",
    dir: "auto",
    enterkeyhint: "send",
    placeholder: strings.placeholder,
    "aria-label": strings.placeholder,
  });
  const grow = () => {
    element.style.height = "";
    // A hidden field has no height.
    const { scrollHeight } = element;
    if (scrollHeight > 0) element.style.height = `${Math.min(MAX_HEIGHT, scrollHeight)}px`;
  };
  element.addEventListener("input", grow);
  element.addEventListener("focus", grow);
  return {
    element,
    clear() {
      element.value = "";
      grow();
    },
    put(text: string) {
      element.value = text;
      grow();
    },
    insert(text: string) {
      element.setRangeText(text, element.selectionStart, element.selectionEnd, "end");
      grow();
      element.focus();
    },
    expect(type: ContactType) {
      const label = type ? strings[type] : strings.placeholder;
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
