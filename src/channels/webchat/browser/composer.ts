import type { Chat, Shown } from "./chat.ts";
import { button, el, icon } from "./dom.ts";
import { Refused, type ShownFile, type Suggestion } from "./protocol.ts";
import { words } from "./strings.ts";
import { icons } from "./style.ts";

const EMOJI = [..."😀😂😊😍😉😎🤔😢😅🙏👍👎👌👋💪🎉🔥✨✅❌⭐🎁📦🚚💳📷📞📅⏰🏠💡🙂"];
const MIB = 1024 * 1024;

export interface Composer {
  element: HTMLElement;
  focus(): void;
  quote(message: Shown | undefined): void;
  /** Asks for a phone number or an e-mail address in place of a text. */
  ask(suggestion: Suggestion | undefined): void;
}

/** Where the visitor writes. */
export function createComposer(chat: Chat): Composer {
  let files: ShownFile[] = [];
  let quoted: Shown | undefined;
  const extra = el("div", { class: "extra", hidden: true });
  const problem = el("p", { class: "problem", role: "alert" });
  const input = el("textarea", {
    class: "input",
    "data-part": "input",
    rows: "1",
    placeholder: words.placeholder,
    "aria-label": words.placeholder,
  });
  const picker = el("input", {
    type: "file",
    multiple: true,
    class: "sr",
    "data-part": "file",
    tabindex: "-1",
    "aria-hidden": "true",
  });

  const draw = () => {
    const chips = files.map((file) => {
      const drop = button(
        {},
        words.removeFile(file.name),
        () => {
          files = files.filter((f) => f !== file);
          draw();
        },
        "✕",
      );
      return el("span", { class: "chip" }, el("span", {}, file.name), drop);
    });
    const about =
      quoted &&
      el(
        "span",
        { class: "chip" },
        el("span", {}, `${words.quoting}: ${quoted.text || quoted.files[0]?.name || ""}`),
        button({}, words.noQuote, () => quote(undefined), "✕"),
      );
    extra.replaceChildren(...(about ? [about] : []), ...chips);
    extra.hidden = extra.childElementCount === 0;
  };
  const quote = (message: Shown | undefined) => {
    quoted = message;
    draw();
    input.focus();
  };
  const ask = (suggestion: Suggestion | undefined) => {
    const asked =
      suggestion?.type === "phone" ? words.phone : suggestion?.type === "email" ? words.email : words.placeholder;
    input.inputMode = suggestion?.type === "phone" ? "tel" : suggestion?.type === "email" ? "email" : "";
    input.placeholder = asked;
    input.setAttribute("aria-label", asked);
    if (suggestion) input.focus();
  };
  const grow = () => {
    input.rows = Math.min(5, input.value.split("\n").length);
  };
  const send = () => {
    const text = input.value;
    const most = chat.opened()?.limits.text ?? 4096;
    if (!text.trim() && files.length === 0) return;
    if ([...text].length > most) {
      problem.textContent = words.tooLong(most);
      return;
    }
    chat.say(text.trim() ? text : "", files, quoted?.id);
    input.value = "";
    files = [];
    quoted = undefined;
    problem.textContent = "";
    ask(undefined);
    grow();
    draw();
  };
  const upload = async (chosen: File[]) => {
    const limits = chat.opened()?.limits;
    problem.textContent = "";
    for (const file of chosen) {
      const most = (file.type.startsWith("image/") ? limits?.image : limits?.file) ?? 0;
      if (limits && files.length >= limits.files) problem.textContent = words.tooMany(limits.files);
      else if (file.size > most) problem.textContent = words.tooLarge(file.name, Math.floor(most / MIB));
      else
        try {
          files = [...files, await chat.upload(file)];
        } catch (error) {
          problem.textContent = `${words.notUploaded(file.name)} ${error instanceof Refused ? error.message : ""}`;
        }
      draw();
    }
    input.focus();
  };

  const emojis = el("div", { class: "emojis", hidden: true, role: "group", "aria-label": words.emoji });
  emojis.append(
    ...EMOJI.map((emoji) =>
      button(
        {},
        emoji,
        () => {
          input.setRangeText(emoji, input.selectionStart, input.selectionEnd, "end");
          emojis.hidden = true;
          input.focus();
        },
        emoji,
      ),
    ),
  );
  input.addEventListener("input", grow);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  });
  input.addEventListener("paste", (event) => {
    const pasted = [...(event.clipboardData?.files ?? [])];
    if (pasted.length === 0) return;
    event.preventDefault();
    void upload(pasted);
  });
  picker.addEventListener("change", () => {
    void upload([...(picker.files ?? [])]);
    picker.value = "";
  });
  const element = el(
    "div",
    { class: "foot" },
    extra,
    problem,
    emojis,
    el(
      "div",
      { class: "row" },
      button({ class: "icon", "data-part": "attach" }, words.attach, () => picker.click(), icon(icons.clip)),
      picker,
      button(
        { class: "icon" },
        words.emoji,
        () => {
          emojis.hidden = !emojis.hidden;
        },
        icon(icons.smile),
      ),
      input,
      button({ class: "icon send", "data-part": "send" }, words.send, send, icon(icons.send)),
    ),
  );
  element.addEventListener("dragover", (event) => event.preventDefault());
  element.addEventListener("drop", (event) => {
    event.preventDefault();
    void upload([...(event.dataTransfer?.files ?? [])]);
  });
  return { element, focus: () => input.focus(), quote, ask };
}
